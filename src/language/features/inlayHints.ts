import type { InlayHint } from 'vscode-languageserver-types';
import { badgeScoreText } from '../../core/presentation/score.ts';
import { STATUS_ICONS, STATUS_WORDS } from '../../core/presentation/words.ts';
import { overlaps, type Position, type Range } from '../../core/problem.ts';
import { type Change, passedText, worstFirst } from '../../core/record/caseHistory.ts';
import type { TurnBadge } from '../../core/scoring.ts';
import { counted } from '../../core/text/format.ts';
import { escapeMarkdown, paragraphs } from '../../core/text/markdown.ts';
import type { OutlineCase, OutlineTurn } from '../../evalfile/loadedSuite.ts';
import { changeMarkdown, entryMarkdown, variantsMarkdown } from '../hover/verdictMarkdown.ts';
import type { EvalDocument, HintSettings, ResultPorts } from '../ports.ts';
import { type JudgedCase, type JudgedTurn, judgedCase, UNJUDGED } from './verdictMarks.ts';

/** Hints are placed before the text, because after a long line they would be out of sight. */
export async function inlayHints(
  { suite }: EvalDocument,
  range: Range,
  results: ResultPorts,
  settings: HintSettings,
): Promise<InlayHint[]> {
  const shown = suite.outline.filter(
    (one) => one.path === suite.path && overlaps(one.range, range),
  );
  const hints = await Promise.all(
    shown.map(async (one): Promise<InlayHint[]> => {
      const judged = settings.scores ? await judgedCase(suite, one, results) : UNJUDGED;
      const variants = settings.scores ? await variantsHint(suite.path, one, results) : [];
      const turns = one.turns.filter(({ range: { start } }) =>
        overlaps({ start, end: start }, range),
      );
      return [...variants, ...turns.flatMap((turn) => turnHint(turn, judged, settings))];
    }),
  );
  return hints.flat();
}

/** `✗ 38 of 40 passed` before the id of a case with variants. */
async function variantsHint(
  suite: string,
  { id, several, nameRange }: OutlineCase,
  { lastVariants }: ResultPorts,
): Promise<InlayHint[]> {
  if (id === undefined || several === undefined) return [];
  const outcomes = (await lastVariants?.(suite, id)) ?? [];
  const [worst] = worstFirst(outcomes);
  if (!worst) return [];
  const change = outcomes.find((one) => one.change)?.change;
  const label = `${STATUS_ICONS[worst.status]} ${passedText(outcomes)}${change ? ' (stale)' : ''}`;
  const value = paragraphs(changeMarkdown(change), variantsMarkdown(outcomes));
  return [hint(nameRange.start, label, value)];
}

/** @param tooltip Markdown */
function hint(position: Position, label: string, tooltip?: string): InlayHint {
  const shown = tooltip !== undefined && { tooltip: { kind: 'markdown' as const, value: tooltip } };
  return { position, label, ...shown, paddingRight: true };
}

function turnHint(
  turn: OutlineTurn,
  { turns, change }: JudgedCase,
  { turnNumbers }: HintSettings,
): InlayHint[] {
  if (turn.turns.length === 0) return [];
  const judged = turns.get(turn) ?? [];
  const { start } = turn.range;
  if (judged.length === 0) {
    const word = turn.turns.length === 1 ? 'turn' : 'turns';
    return turnNumbers ? [hint(start, `${word} ${turn.turns.join(', ')}`)] : [];
  }
  const label = judgedLabel(turn, judged, turnNumbers) + (change ? ' (stale)' : '');
  return [hint(start, label, tooltipOf(judged, change))];
}

/** `turn 2 ✗ 0.30`, or `turn 3, turn 4 ✗ 0.30` if only one of two turns has a score. */
function judgedLabel(
  { turns }: OutlineTurn,
  judged: readonly JudgedTurn[],
  turnNumbers: boolean,
): string {
  const badges = new Map(judged.map(({ number, badge }) => [number, badge]));
  const parts = turns.flatMap((number) => {
    const badge = badges.get(number);
    if (!badge) return turnNumbers ? [`turn ${number}`] : [];
    const named = turnNumbers || turns.length > 1 ? `turn ${number} ` : '';
    const score = badgeScoreText(badge) ?? STATUS_WORDS[badge.status];
    return [`${named}${STATUS_ICONS[badge.status]} ${score}`];
  });
  return parts.join(', ');
}

function tooltipOf(judged: readonly JudgedTurn[], change: Change | undefined): string {
  const parts = judged.flatMap(({ number, badge }) => [
    ...(judged.length > 1 ? [`**Turn ${number}**`] : []),
    worstMarkdown(badge),
  ]);
  return paragraphs(changeMarkdown(change), ...parts);
}

/** The entry with the badge's status and the lowest score. */
function worstMarkdown({ status, entries, error }: TurnBadge): string {
  if (error !== undefined) return escapeMarkdown(error);
  const [worst, ...others] = entries
    .filter(({ entry }) => entry.status === status)
    .sort((a, b) => (a.entry.score ?? 0) - (b.entry.score ?? 0));
  const counts = `${counted(entries.length - 1, 'more verdict')} for this turn, ${others.length} of them`;
  const more = entries.length > 1 ? `_${counts} ${STATUS_WORDS[status]}_` : undefined;
  return paragraphs(worst && entryMarkdown(worst), more);
}
