import type { Outcome } from '../record/outcome.ts';
import { repeatedGlance } from './repeatedText.ts';
import { scoreText } from './score.ts';
import { STATUS_WORDS } from './status.ts';

/**
 * What a verdict came to in a cell: `0.85 resolved`, `0.75 · 4` where the label is a number, `0.40 ↕0.30` where
 * samples differ, `2/3 0.80 (0.40–1.00)` of repetitions, `timeout`.
 */
export function outcomeText(outcome: Outcome): string {
  const { status, score, threshold, label, reason, spread, repeated } = outcome;
  if (repeated) {
    const glance = repeatedGlance(repeated, score, [threshold]);
    const why =
      status === 'error' || score === null ? (reason ?? STATUS_WORDS[status]) : labelText(label);
    return [...glance, ...(why === undefined ? [] : [why])].join(' ');
  }
  if (score === null) return (status === 'error' && reason) || STATUS_WORDS[status];
  const between = spread === undefined ? '' : ` ↕${scoreText(spread)}`;
  const shown = `${scoreText(score, threshold)}${between}`;
  return label === undefined ? shown : `${shown} ${labelText(label)}`;
}

/** A number would read as one more score. */
function labelText(label: string | undefined): string | undefined {
  return label !== undefined && /^[-+.\d]/.test(label) ? `· ${label}` : label;
}
