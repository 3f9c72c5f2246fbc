import type { Outcome } from '../record/outcome.ts';
import { scoreText } from './score.ts';
import { STATUS_WORDS } from './status.ts';

/** What a verdict came to in a cell: `0.85 resolved`, `0.40 ↕0.30` where samples differ, `timeout`. */
export function outcomeText(outcome: Outcome): string {
  const { status, score, threshold, label, reason, spread } = outcome;
  if (score === null) return (status === 'error' && reason) || STATUS_WORDS[status];
  const between = spread === undefined ? '' : ` ↕${scoreText(spread)}`;
  const shown = `${scoreText(score, threshold)}${between}`;
  return label === undefined ? shown : `${shown} ${label}`;
}
