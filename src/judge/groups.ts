import type { GroupType, Outcome } from '../assertions/contract.ts';
import { typeOf } from '../assertions/registry.ts';
import { badgeOf, entriesByTurn } from '../core/scoring.ts';
import type { Assertion } from '../core/suite.ts';
import {
  addUsage,
  NO_USAGE,
  type ScoredVerdict,
  statusWithScore,
  type TurnVerdict,
  type UnscoredVerdict,
  type Verdict,
} from '../core/verdict.ts';
import { concludedVerdict, errorVerdict, gated, isGate, skippedVerdict } from './verdicts.ts';

/** The assertions that are checked by themselves: those of groups, at any depth, and all others. */
export function leavesOf(assertion: Assertion): Assertion[] {
  if (typeOf(assertion).kind !== 'group') return [assertion];
  return (assertion.nested ?? []).flatMap((one) => leavesOf(one.assertion));
}

/**
 * The verdict of a group. One that could not be judged makes the group an error; one that is
 * `required` and fails makes it fail, and gates the case, whatever the others say.
 */
export function groupVerdict(
  assertion: Assertion,
  type: GroupType,
  nested: readonly Verdict[],
): Verdict {
  const verdict = decide(assertion, type, nested);
  const hasGate = nested.some(isGate);
  const turns = joinedTurns(nested);
  return {
    ...(hasGate ? gated(verdict) : verdict),
    turns: assertion.negate && !hasGate ? turns.map(turnedRound) : turns,
    nested: [...nested],
    usage: nested.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
  };
}

function decide(assertion: Assertion, type: GroupType, nested: readonly Verdict[]): Verdict {
  const broken = nested.find((one): one is UnscoredVerdict => one.status === 'error');
  if (broken) {
    const rationale = `“${broken.assertion.name}” could not be judged: ${broken.rationale}`;
    return errorVerdict(assertion, broken.reason, rationale);
  }
  const decided = nested.filter((one) => one.score !== null);
  if (decided.length === 0) {
    return skippedVerdict(assertion, 'not-applicable', 'None of its assertions applied.');
  }
  return concludedVerdict(assertion, outcomeOf(assertion, type, decided, nested.some(isGate)));
}

function outcomeOf(
  { negate }: Assertion,
  type: GroupType,
  decided: readonly ScoredVerdict[],
  hasGate: boolean,
): Outcome {
  const passed = decided.filter(({ status }) => status === 'pass');
  const failed = decided.filter(({ status }) => status === 'fail');
  const share = type.score(decided);
  const score = hasGate ? 0 : negate ? 1 - share : share;
  const name = ({ assertion }: Verdict) => `“${assertion.name}”`;
  const cite = (verdicts: readonly Verdict[], cited: (verdict: Verdict) => readonly string[]) =>
    verdicts.flatMap((one) => {
      const lines = cited(one);
      return (lines.length > 0 ? lines : [one.rationale]).map((line) => `${name(one)}: ${line}`);
    });
  const hits = cite(passed, (one) => one.hits);
  const misses = cite(failed, (one) => one.misses);
  return {
    kind: 'scored',
    score,
    rationale: `${passed.length} of ${decided.length} pass${failed.length > 0 ? `; not ${failed.map(name).join(', ')}` : ''}.`,
    turns: [],
    hits: negate ? misses : hits,
    misses: negate ? hits : misses,
    details: {},
  };
}

/** As its entry counts for a group that asks for the opposite. */
function turnedRound(entry: TurnVerdict): TurnVerdict {
  if (entry.score === null) return entry;
  return { ...entry, status: entry.status === 'pass' ? 'fail' : 'pass', score: 1 - entry.score };
}

/** For each turn the worst of what the nested verdicts say, the mean of their scores, all their words. */
function joinedTurns(nested: readonly Verdict[]): TurnVerdict[] {
  return [...entriesByTurn(nested)]
    .sort(([a], [b]) => a - b)
    .flatMap(([turn, entries]) => {
      const badge = badgeOf(entries);
      if (!badge) return [];
      const { status, score } = badge;
      const evidence = entries.find(({ entry }) => entry.status === status)?.entry.evidence;
      const rationale = entries
        .map(({ verdict, entry }) => `${verdict.assertion.name}: ${entry.rationale}`)
        .join(' ');
      return [
        { turn, ...statusWithScore(status, score), rationale, ...(evidence && { evidence }) },
      ];
    });
}
