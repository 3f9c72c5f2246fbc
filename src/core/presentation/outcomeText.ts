import type { Outcome } from '../record/outcome.ts';
import { scoreText } from './score.ts';
import { STATUS_WORDS } from './status.ts';

/** What a verdict came to in a cell: `0.85 resolved`, `0.40`, `timeout`, `skipped`. */
export function outcomeText(outcome: Outcome): string {
  const { status, score, threshold, label, reason } = outcome;
  if (score === null) return (status === 'error' && reason) || STATUS_WORDS[status];
  const shown = scoreText(score, threshold);
  return label === undefined ? shown : `${shown} ${label}`;
}
