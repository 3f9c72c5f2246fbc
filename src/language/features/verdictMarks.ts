import { addTo, groupBy, pushAll } from '../../core/data/data.ts';
import type { Change } from '../../core/record/caseHistory.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import {
  badgeOf,
  entriesByTurn,
  failedBadge,
  type TurnBadge,
  WORST_FIRST,
} from '../../core/scoring.ts';

import { textChangeDetector } from '../../evalfile/caseChanges.ts';
import type { LoadedSuite, OutlineCase, OutlineTurn } from '../../evalfile/loadedSuite.ts';
import { stepsOf } from '../../node/cooperative.ts';
import type { VerdictMark } from '../../protocol/serverProtocol.ts';
import type { EvalDocument, ResultPorts } from '../ports.ts';

export interface JudgedTurn {
  readonly number: number;
  readonly badge: TurnBadge;
}

export interface JudgedCase {
  /** Set if the case has changed since it ran. */
  readonly change?: Change | undefined;
  /** Judged turns by their position in the file. A reply is listed with the scripted turn before it. */
  readonly turns: ReadonlyMap<OutlineTurn, readonly JudgedTurn[]>;
}

export const UNJUDGED: JudgedCase = { turns: new Map() };

export async function judgedCase(
  suite: LoadedSuite,
  found: OutlineCase,
  { lastRuns, changeDetector = textChangeDetector }: ResultPorts,
): Promise<JudgedCase> {
  const lines = found.id === undefined ? [] : await lastRuns(suite.path, found.id);
  if (lines.length === 0) return UNJUDGED;
  const now = changeDetector(suite, found);
  const changes = await Promise.all(lines.map((line) => now.changeOf(line)));
  return { change: changes.find((one) => one), turns: judgedTurns(found.turns, lines) };
}

function judgedTurns(
  turns: readonly OutlineTurn[],
  lines: readonly CaseLine[],
): JudgedCase['turns'] {
  const entries = entriesByTurn(lines.flatMap(({ verdicts }) => verdicts));
  const judged = new Map<OutlineTurn, JudgedTurn[]>();
  for (const [number, turn] of lastMessages(turns)) {
    const failed = lines.find(({ failed_turn }) => failed_turn?.number === number);
    const badge =
      badgeOf(entries.get(number) ?? []) ?? (failed && failedBadge(failed.reason ?? ''));
    if (badge) addTo(judged, turn, { number, badge });
  }
  return judged;
}

/** The last message of each turn, preferably one that isn't a tool's. The turn's verdict appears there. */
function lastMessages(turns: readonly OutlineTurn[]): ReadonlyMap<number, OutlineTurn> {
  const last = new Map<number, OutlineTurn>();
  for (const turn of turns) {
    for (const number of turn.turns) {
      if (turn.role !== 'tool' || !last.has(number)) last.set(number, turn);
    }
  }
  return last;
}

/** One mark for each line on which judged turns begin, with the status of the worst of them. */
export async function verdictMarks(
  { suite }: EvalDocument,
  results: ResultPorts,
): Promise<VerdictMark[]> {
  const step = stepsOf();
  const judged: VerdictMark[] = [];
  for (const one of suite.outline.filter(({ path }) => path === suite.path)) {
    await step();
    const { turns, change } = await judgedCase(suite, one, results);
    for (const [{ range }, badges] of turns) {
      const place = { line: range.start.line, stale: change !== undefined };
      pushAll(
        judged,
        badges.map(({ badge: { status } }) => ({ ...place, status })),
      );
    }
  }
  return [...groupBy(judged, ({ line }) => line)].flatMap(([line, all]) => {
    const status = WORST_FIRST.find((one) => all.some((mark) => mark.status === one));
    return status ? [{ line, status, stale: all.some(({ stale }) => stale) }] : [];
  });
}
