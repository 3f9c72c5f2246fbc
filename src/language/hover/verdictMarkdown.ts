import {
  badgeScoreText,
  caseScoreText,
  scoreText,
  thresholdText,
} from '../../core/presentation/score.ts';
import {
  samplesText,
  thresholdNote,
  togetherText,
  verdictText,
} from '../../core/presentation/verdictText.ts';
import { STATUS_ICONS, STATUS_WORDS, stopText } from '../../core/presentation/words.ts';
import {
  CHANGES,
  type Change,
  passedText,
  type VariantOutcome,
  worstFirst,
} from '../../core/record/caseHistory.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { failedBadge, isFailure, type TurnBadge, turnBadge } from '../../core/scoring.ts';
import { cacheText, durationText } from '../../core/text/format.ts';
import { escapeLine, escapeMarkdown, paragraphs } from '../../core/text/markdown.ts';
import { isCachedAmong, type TurnVerdict, type Verdict } from '../../core/verdict.ts';

/** Undefined if no assertion judged the turns. */
export function turnMarkdown(line: CaseLine, turns: readonly number[]): string | undefined {
  const isCached = isCachedAmong(line.verdicts);
  const parts = turns.flatMap((turn) => {
    const failed = line.failed_turn?.number === turn ? failedBadge(line.reason ?? '') : undefined;
    const badge = turnBadge(line.verdicts, turn) ?? failed;
    if (!badge) return [];
    const score = badgeScoreText(badge);
    const scored = score === undefined ? '' : ` · score ${score}`;
    const { status, error } = badge;
    const heading = `**${STATUS_ICONS[status]} Turn ${turn}: ${STATUS_WORDS[status]}**${scored}`;
    const entries = badge.entries.map((one) => entryMarkdown(one, isCached(one.verdict)));
    return [paragraphs(heading, error && escapeMarkdown(error), ...entries)];
  });
  return parts.length === 0 ? undefined : parts.join('\n\n---\n\n');
}

/** @param fromCache whether the judge's answer came from the cache */
export function entryMarkdown(
  { verdict, entry }: TurnBadge['entries'][number],
  fromCache = false,
): string {
  const { status, score, rationale, evidence } = entry;
  const facts = [
    STATUS_WORDS[status],
    ...(score === null ? [] : [scoreText(score, verdict.threshold)]),
    ...(fromCache ? ['from the cache'] : []),
  ];
  const heading = `${STATUS_ICONS[status]} **${escapeLine(verdict.assertion.name, 80)}**`;
  const quote = evidence ? [quoteMarkdown(evidence)] : [];
  return [`${heading} — ${facts.join(', ')}`, escapeMarkdown(rationale), ...quote].join('  \n');
}

function quoteMarkdown({ text, verified }: NonNullable<TurnVerdict['evidence']>): string {
  if (text.trim() === '') return '_no quote was given_';
  const quote = `“${escapeLine(text)}”`;
  return verified ? `> ${quote}` : `> ${quote} — _not found in this turn_`;
}

/** @param fromCache as in `entryMarkdown` */
export function verdictMarkdown(verdict: Verdict, fromCache: boolean): string {
  const { assertion, status, score, rationale, reason, misses, usage } = verdict;
  const together = togetherText(verdict);
  const outcome = escapeLine(verdictText(verdict), 60);
  const facts = [
    STATUS_WORDS[status],
    score === null ? undefined : `${outcome}${thresholdNote(verdict)}`,
    samplesText(verdict),
    together && escapeLine(together, 200),
    reason && escapeLine(reason, 60),
    assertion.required ? 'required' : undefined,
    fromCache ? 'from the cache' : cacheText(usage),
  ].filter((fact) => fact !== undefined);
  return paragraphs(
    `**${STATUS_ICONS[status]} ${escapeLine(assertion.name, 80)}** — ${facts.join(', ')}`,
    escapeMarkdown(rationale),
    misses.map((miss) => `- ${escapeLine(miss)}`).join('\n'),
  );
}

const MAX_STOP_LENGTH = 300;

export function caseMarkdown(line: CaseLine): string {
  const { status, reason, verdicts, threshold, duration } = line;
  const score = caseScoreText(line);
  const stop = stopText(line);
  const facts = [
    STATUS_WORDS[status],
    ...(score === undefined ? [] : [`score ${score}`]),
    ...(threshold === undefined ? [] : [`threshold ${thresholdText({ threshold })}`]),
    durationText(duration),
  ];
  const list = verdicts.map((verdict) => {
    const name = escapeLine(verdict.assertion.name, 80);
    return `- ${STATUS_ICONS[verdict.status]} ${name}: ${escapeLine(verdictText(verdict), 60)}`;
  });
  return paragraphs(
    `**${STATUS_ICONS[status]} Last run** — ${facts.join(' · ')}`,
    reason && escapeMarkdown(reason),
    stop && `Ended: ${escapeLine(stop, MAX_STOP_LENGTH)}`,
    list.join('\n'),
  );
}

export function changeMarkdown(change: Change | undefined): string | undefined {
  return change && `_${CHANGES[change]}_`;
}

const MAX_VARIANTS = 20;

/** The number of variants that passed, and a list of the others. */
export function variantsMarkdown(outcomes: readonly VariantOutcome[]): string {
  const bad = worstFirst(outcomes).filter(isFailure);
  const icon = STATUS_ICONS[bad[0]?.status ?? 'pass'];
  const listed = bad
    .slice(0, MAX_VARIANTS)
    .map(({ variant, status }) => `- ${STATUS_ICONS[status]} ${escapeLine(variant, 80)}`);
  const more = bad.length - listed.length;
  return paragraphs(
    `**${icon} Last runs** — ${passedText(outcomes)}`,
    [...listed, ...(more > 0 ? [`- … and ${more} more`] : [])].join('\n'),
  );
}
