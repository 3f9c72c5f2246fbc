import type { InlayHint } from 'vscode-languageserver-types';
import { badgeScoreText } from '../../core/presentation/score.ts';
import { STATUS_ICONS, STATUS_WORDS } from '../../core/presentation/status.ts';
import type { Position, Range } from '../../core/problem.ts';
import type { CaseLine } from '../../core/runRecord.ts';
import { badgeOf, entriesByTurn, type TurnBadge } from '../../core/scoring.ts';
import type { OutlineCase, OutlineTurn } from '../../evalfile/loadedSuite.ts';
import { endOfLine } from '../../yaml/lines.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import type { EvalDocument, LastRuns } from '../ports.ts';
import { entryMarkdown, STALE } from '../verdictMarkdown.ts';

/** Which hints are wanted. */
export interface HintSettings {
  /** `turn 3` before each message and scripted turn. */
  readonly turnNumbers: boolean;
  /** After a run the score of each turn, behind its line. */
  readonly scores: boolean;
}

/** The hints within a range; only the cases that stand there are looked up. */
export async function inlayHints(
  { yaml, suite }: EvalDocument,
  range: Range,
  lastRuns: LastRuns,
  settings: HintSettings,
): Promise<InlayHint[]> {
  const shown = suite.outline.filter(
    (one) => one.path === suite.path && overlaps(one.range, range),
  );
  const hints = await Promise.all(
    shown.map(async (one): Promise<InlayHint[]> => {
      const lines =
        settings.scores && one.id !== undefined ? await lastRuns(suite.path, one.id) : [];
      return [
        ...(settings.turnNumbers ? one.turns.flatMap(numberHint) : []),
        ...scoreHints(one, lines, yaml),
      ];
    }),
  );
  return hints.flat().filter(({ position }) => overlaps({ start: position, end: position }, range));
}

function numberHint({ range, turns }: OutlineTurn): InlayHint[] {
  if (turns.length === 0) return [];
  const label = turns.length === 1 ? `turn ${turns[0]}` : `turns ${turns.join(', ')}`;
  return [{ position: range.start, label, paddingRight: true }];
}

function scoreHints(
  { turns, hash }: OutlineCase,
  lines: readonly CaseLine[],
  yaml: YamlDocument,
): InlayHint[] {
  if (lines.length === 0) return [];
  const said = entriesByTurn(lines.flatMap(({ verdicts }) => verdicts));
  const stale = lines.some(({ source }) => source.hash !== hash);
  return lastMessages(turns).flatMap((turn) => {
    const badge = badgeOf(turn.turns.flatMap((number) => said.get(number) ?? []));
    if (!badge) return [];
    const score = badgeScoreText(badge) ?? STATUS_WORDS[badge.status];
    return [
      {
        position: placeBehind(turn.range, yaml),
        label: `${STATUS_ICONS[badge.status]} ${score}${stale ? ' (stale)' : ''}`,
        tooltip: { kind: 'markdown' as const, value: tooltip(badge, stale) },
        paddingLeft: true,
      },
    ];
  });
}

/** A turn of several messages has its score at the last one that somebody says. */
function lastMessages(turns: readonly OutlineTurn[]): OutlineTurn[] {
  const last = new Map<number, OutlineTurn>();
  for (const turn of turns) {
    const number = turn.turns.at(-1);
    if (number === undefined || (turn.role === 'tool' && last.has(number))) continue;
    last.set(number, turn);
  }
  return [...last.values()];
}

/** The worst of what was said: the status of the badge, and of those the lowest score. */
function tooltip({ status, entries }: TurnBadge, stale: boolean): string {
  const [worst, ...others] = entries
    .filter(({ entry }) => entry.status === status)
    .sort((a, b) => (a.entry.score ?? 0) - (b.entry.score ?? 0));
  const more = entries.length - 1;
  return [
    ...(stale ? [STALE] : []),
    ...(worst ? [entryMarkdown(worst)] : []),
    ...(more > 0
      ? [`_${more} more of this turn, ${others.length} of them ${STATUS_WORDS[status]}_`]
      : []),
  ].join('\n\n');
}

/** The end of the line that a turn begins in; of the turn itself where others stand behind it. */
function placeBehind({ start, end }: Range, yaml: YamlDocument): Position {
  const from = yaml.offsetAt(start);
  const lineEnd = endOfLine(yaml.text, from);
  if (end.line === start.line) {
    const behind = yaml.text.slice(yaml.offsetAt(end), lineEnd);
    if (!/^\s*(?:#.*)?$/.test(behind)) return end;
  }
  return yaml.positionAt(lineEnd);
}

function overlaps(a: Range, b: Range): boolean {
  return !isBefore(a.end, b.start) && !isBefore(b.end, a.start);
}

function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
