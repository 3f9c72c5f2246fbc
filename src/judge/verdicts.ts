import type { GroupType, Outcome } from '../assertions/contract.ts';
import { typeOf } from '../assertions/registry.ts';
import { badgeOf, entriesByTurn, isFailure, reaches } from '../core/scoring.ts';
import type { Assertion } from '../core/suite.ts';
import {
  NO_USAGE,
  type ScoredVerdict,
  statusWithScore,
  type TurnVerdict,
  type UnscoredVerdict,
  type Usage,
  usageOf,
  type Verdict,
} from '../core/verdict.ts';

export interface Cost {
  readonly usage: Usage;
  readonly judge?: Verdict['judge'];
}

const NO_COST: Cost = { usage: NO_USAGE };

/** The verdict for an outcome. Only the score and the threshold decide whether it passes. */
export function verdictOfOutcome(
  assertion: Assertion,
  outcome: Outcome,
  cost: Cost = NO_COST,
): Verdict {
  if (outcome.kind === 'skipped') {
    const { reason, rationale, turns } = outcome;
    const unscored = turns.map((turn) =>
      turn.score === null ? turn : { ...turn, status: 'skipped' as const, score: null },
    );
    return { ...skippedVerdict(assertion, reason, rationale, cost), turns: unscored };
  }
  const { score, label, value, scale, nested, rationale, turns, hits, misses, details } = outcome;
  const verdict: ScoredVerdict = {
    ...emptyVerdict(assertion, cost),
    status: reaches(score, assertion.threshold) ? 'pass' : 'fail',
    score,
    ...(label !== undefined && { label }),
    // Without a value, the label is the value.
    ...((value ?? label) !== undefined && { value: value ?? label }),
    ...(scale && { scale: [...scale] }),
    ...(nested && { nested: [...nested] }),
    rationale,
    turns: [...turns],
    hits: [...hits],
    misses: [...misses],
    details: { ...details },
  };
  return nested?.some(isGate) ? gated({ ...verdict, score: 0 }) : verdict;
}

/** Whether the verdict is `required`, and fails or couldn't be judged. */
export function isGate(verdict: Verdict): boolean {
  return verdict.assertion.required && isFailure(verdict);
}

/**
 * The verdict of an assertion that contains a failing gate: it can't pass, regardless of its threshold, and is itself a
 * gate.
 */
export function gated(verdict: Verdict): Verdict {
  const gate = { ...verdict, assertion: { ...verdict.assertion, required: true } };
  return gate.status === 'pass' ? { ...gate, status: 'fail' } : gate;
}

export function errorVerdict(
  assertion: Assertion,
  reason: string,
  rationale: string,
  cost: Cost = NO_COST,
  unusable: readonly string[] = [],
): UnscoredVerdict {
  return {
    ...emptyVerdict(assertion, cost),
    status: 'error',
    score: null,
    reason,
    rationale,
    ...(unusable.length > 0 && { unusable: [...unusable] }),
  };
}

export function skippedVerdict(
  assertion: Assertion,
  reason: string,
  rationale: string,
  cost: Cost = NO_COST,
): UnscoredVerdict {
  return { ...emptyVerdict(assertion, cost), status: 'skipped', score: null, reason, rationale };
}

function emptyVerdict(assertion: Assertion, { usage, judge }: Cost) {
  const { index, key, type, name, source, threshold, required, weight } = assertion;
  const { path, range } = source;
  return {
    assertion: { key, index, type, name, path, line: range.start.line + 1, required, weight },
    threshold,
    turns: [],
    hits: [],
    misses: [],
    details: {},
    ...(judge && { judge }),
    usage,
  };
}

/** The innermost assertions, which aren't groups, at any depth. */
export function leavesOf(assertion: Assertion): Assertion[] {
  if (typeOf(assertion).kind !== 'group') return [assertion];
  return (assertion.nested ?? []).flatMap((one) => leavesOf(one.assertion));
}

/**
 * A group's verdict. An error in the group makes the verdict an error; a failing `required` assertion makes it fail and
 * gates the case.
 */
export function groupVerdict(
  assertion: Assertion,
  type: GroupType,
  nested: readonly Verdict[],
): Verdict {
  const verdict = decideVerdict(assertion, type, nested);
  const hasGate = nested.some(isGate);
  const turns = mergeTurns(nested);
  return {
    ...(hasGate ? gated(verdict) : verdict),
    turns: assertion.negate && !hasGate ? turns.map(invertedEntry) : turns,
    nested: [...nested],
    usage: usageOf(nested),
  };
}

function decideVerdict(assertion: Assertion, type: GroupType, nested: readonly Verdict[]): Verdict {
  const broken = nested.find((one): one is UnscoredVerdict => one.status === 'error');
  if (broken) {
    const rationale = `“${broken.assertion.name}” could not be judged: ${broken.rationale}`;
    return errorVerdict(assertion, broken.reason, rationale);
  }
  const decided = nested.filter((one) => one.score !== null);
  if (decided.length === 0) {
    return skippedVerdict(assertion, 'not-applicable', 'None of the nested assertions applied.');
  }
  return verdictOfOutcome(assertion, outcomeOf(assertion, type, decided, nested.some(isGate)));
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
    rationale: `${passed.length} of ${decided.length} pass${failed.length > 0 ? `. Failed: ${failed.map(name).join(', ')}` : ''}.`,
    turns: [],
    hits: negate ? misses : hits,
    misses: negate ? hits : misses,
    details: {},
  };
}

function invertedEntry(entry: TurnVerdict): TurnVerdict {
  if (entry.score === null) return entry;
  return { ...entry, status: entry.status === 'pass' ? 'fail' : 'pass', score: 1 - entry.score };
}

/** For each turn: the worst status of the nested verdicts, the mean of their scores, and all their rationales. */
function mergeTurns(nested: readonly Verdict[]): TurnVerdict[] {
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
