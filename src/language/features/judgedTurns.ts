import { addTo } from '../../core/data/data.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { badgeOf, entriesByTurn, type TurnBadge } from '../../core/scoring.ts';
import type { OutlineCase, OutlineTurn } from '../../evalfile/loadedSuite.ts';
import type { LastRuns } from '../ports.ts';

export interface JudgedTurn {
  readonly number: number;
  readonly badge: TurnBadge;
}

/** What the last runs said about the turns of a case. */
export interface JudgedCase {
  /** The case has changed since. */
  readonly stale: boolean;
  /** Turns that were judged, by where they stand: a scripted user turn stands for its reply too. */
  readonly turns: ReadonlyMap<OutlineTurn, readonly JudgedTurn[]>;
}

export const UNJUDGED: JudgedCase = { stale: false, turns: new Map() };

export async function judgedCase(
  suite: string,
  { id, turns, hash }: OutlineCase,
  lastRuns: LastRuns,
): Promise<JudgedCase> {
  const lines = id === undefined ? [] : await lastRuns(suite, id);
  if (lines.length === 0) return UNJUDGED;
  return {
    stale: lines.some(({ source }) => source.hash !== hash),
    turns: judgedTurns(turns, lines),
  };
}

function judgedTurns(
  turns: readonly OutlineTurn[],
  lines: readonly CaseLine[],
): JudgedCase['turns'] {
  const entries = entriesByTurn(lines.flatMap(({ verdicts }) => verdicts));
  const judged = new Map<OutlineTurn, JudgedTurn[]>();
  for (const [number, turn] of lastMessages(turns)) {
    const badge = badgeOf(entries.get(number) ?? []);
    if (badge) addTo(judged, turn, { number, badge });
  }
  return judged;
}

/** A turn of several messages has its verdict at the last one that somebody says. */
function lastMessages(turns: readonly OutlineTurn[]): ReadonlyMap<number, OutlineTurn> {
  const last = new Map<number, OutlineTurn>();
  for (const turn of turns) {
    for (const number of turn.turns) {
      if (turn.role !== 'tool' || !last.has(number)) last.set(number, turn);
    }
  }
  return last;
}
