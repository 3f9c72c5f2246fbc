import type { Status } from '../verdict.ts';

/** A sign next to every colour, so that no status relies on colour alone. */
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
