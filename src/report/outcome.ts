import type { Status, Verdict } from '../core/verdict.ts';
import { scoreText, shortest } from '../core/verdictWords.ts';

/** A sign beside every colour: no outcome is told by colour alone. */
export const ICONS: Readonly<Record<Status, string>> = {
  pass: '✓',
  fail: '✗',
  error: '!',
  skipped: '–',
};

export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  pass: 'passed',
  fail: 'failed',
  error: 'errored',
  skipped: 'skipped',
};

/** What the field calls the outcome: its label, else its value, else its score or reason. */
export function outcomeText(verdict: Verdict): string {
  if (verdict.status === 'error') return verdict.reason ?? 'error';
  if (verdict.status === 'skipped') return 'skipped';
  const said = verdict.label ?? verdict.value ?? verdict.score;
  if (typeof said === 'number') {
    if (said === verdict.score) return scoreText(said);
    return shortest(said);
  }
  return said ?? STATUS_WORDS[verdict.status];
}
