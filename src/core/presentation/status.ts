import type { Status } from '../verdict.ts';

/** A sign beside every colour: no outcome is told by colour alone. */
export const STATUS_ICONS: Readonly<Record<Status, string>> = {
  pass: '✓',
  fail: '✗',
  error: '⚠',
  skipped: '○',
};

export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  pass: 'passed',
  fail: 'failed',
  error: 'errored',
  skipped: 'skipped',
};
