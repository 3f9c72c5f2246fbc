import type { Outcome } from '../assertions/contract.ts';
import { reaches } from '../core/scoring.ts';
import type { Assertion } from '../core/suite.ts';
import {
  isFailure,
  NO_USAGE,
  type ScoredVerdict,
  type UnscoredVerdict,
  type Usage,
  type Verdict,
} from '../core/verdict.ts';

export interface Cost {
  readonly usage: Usage;
  readonly judge?: Verdict['judge'];
}

const FREE: Cost = { usage: NO_USAGE };

/** Pass or fail is score against threshold and nothing else. */
export function concludedVerdict(
  assertion: Assertion,
  outcome: Outcome,
  cost: Cost = FREE,
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
    // What the field calls the outcome is its value, where it has no other.
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

/** What is `required` and fails, or could not be judged. */
export function isGate(verdict: Verdict): boolean {
  return verdict.assertion.required && isFailure(verdict);
}

/** Of what holds a gate: it cannot pass, whatever its threshold, and gates the case in its turn. */
export function gated(verdict: Verdict): Verdict {
  const gate = { ...verdict, assertion: { ...verdict.assertion, required: true } };
  return gate.status === 'pass' ? { ...gate, status: 'fail' } : gate;
}

export function errorVerdict(
  assertion: Assertion,
  reason: string,
  rationale: string,
  cost: Cost = FREE,
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

/** For what did not apply, or was not reached: the turn was not taken, the conversation was cut. */
export function skippedVerdict(
  assertion: Assertion,
  reason: string,
  rationale: string,
  cost: Cost = FREE,
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
