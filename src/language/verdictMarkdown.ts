import type { CaseLine } from '../core/runRecord.ts';
import { caseScore, turnBadge } from '../core/scoring.ts';
import type { Status, TurnVerdict, Verdict } from '../core/verdict.ts';
import { neededText, samplesText, shortest } from '../core/verdictWords.ts';
import { escapeLine, escapeMarkdown } from './safeMarkdown.ts';

export const ICONS: Readonly<Record<Status, string>> = {
  pass: '✓',
  fail: '✗',
  error: '⚠',
  skipped: '○',
};

/** What the last run said about turns, worst badge first; undefined where no assertion spoke. */
export function turnMarkdown(line: CaseLine, turns: readonly number[]): string | undefined {
  const parts = turns.flatMap((turn) => {
    const badge = turnBadge(line.verdicts, turn);
    if (!badge) return [];
    const score = badge.score === null ? '' : ` · score ${shown(badge.score)}`;
    const heading = `**${ICONS[badge.status]} Turn ${turn}: ${badge.status}**${score}`;
    return [[heading, ...badge.entries.map(entryMarkdown)].join('\n\n')];
  });
  return parts.length === 0 ? undefined : parts.join('\n\n---\n\n');
}

/** What one assertion said about a turn. */
export function entryMarkdown(said: {
  readonly verdict: Verdict;
  readonly entry: TurnVerdict;
}): string {
  const { verdict, entry } = said;
  const score = entry.score === null ? '' : `, ${shown(entry.score)}`;
  const name = escapeLine(verdict.assertion.name, 80);
  return [
    `${ICONS[entry.status]} **${name}** — ${entry.status}${score}`,
    escapeMarkdown(entry.rationale),
    ...(entry.evidence ? [quoteMarkdown(entry.evidence)] : []),
  ].join('  \n');
}

function quoteMarkdown({ text, verified }: NonNullable<TurnVerdict['evidence']>): string {
  if (text.trim() === '') return '_no quote was given_';
  const quote = `“${escapeLine(text)}”`;
  return verified ? `> ${quote}` : `> ${quote} — _not found in this turn_`;
}

export function verdictMarkdown(verdict: Verdict): string {
  const { assertion, status, score, label, value, scale, rationale, reason, misses } = verdict;
  const samples = samplesText(verdict);
  const said =
    scale && typeof value === 'number' ? shortest(value) : score === null ? '' : shown(score);
  const facts = [
    status,
    ...(label === undefined ? [] : [escapeLine(label, 60)]),
    ...(score === null ? [] : [`${said} (threshold ${neededText(verdict)})`]),
    ...(samples === undefined ? [] : [samples]),
    ...(reason === undefined ? [] : [escapeLine(reason, 60)]),
    ...(assertion.required ? ['required'] : []),
  ];
  return [
    `**${ICONS[status]} ${escapeLine(assertion.name, 80)}** — ${facts.join(', ')}`,
    escapeMarkdown(rationale),
    ...(misses.length === 0 ? [] : [misses.map((miss) => `- ${escapeLine(miss)}`).join('\n')]),
  ].join('\n\n');
}

export function caseMarkdown(line: CaseLine): string {
  const { status, reason, verdicts, threshold, duration } = line;
  const score = caseScore(verdicts);
  const facts = [
    status,
    ...(score === null ? [] : [`score ${shown(score)}`]),
    ...(threshold === undefined ? [] : [`threshold ${shown(threshold)}`]),
    `${Math.round(duration)} ms`,
  ];
  const list = verdicts.map(({ status: one, assertion, label, score: given }) => {
    const value = label ?? (given === null ? one : shown(given));
    return `- ${ICONS[one]} ${escapeLine(assertion.name, 80)}: ${escapeLine(value, 60)}`;
  });
  return [
    `**${ICONS[status]} Last run** — ${facts.join(' · ')}`,
    ...(reason === undefined ? [] : [escapeMarkdown(reason)]),
    list.join('\n'),
  ].join('\n\n');
}

export const STALE = '_The case has changed since this run._';

function shown(score: number): string {
  return score.toFixed(2);
}
