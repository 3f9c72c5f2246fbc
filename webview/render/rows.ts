import { recalledAmong } from '../../src/core/recalled.ts';
import { type StatedAssertion, statedOf } from '../../src/core/statedAssertion.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import type { AssertionRow } from './stated.ts';

/** The case's assertions: those that were judged and, before it ended, those that will be. */
export function assertionRows({ phase, assertions, verdicts, changed }: Snapshot): AssertionRow[] {
  const stale = changed !== undefined;
  const isRecalled = recalledAmong(verdicts);
  const judged = verdicts.map((verdict) => ({
    ...judgedRow(verdict, assertions, stale),
    recalled: isRecalled(verdict),
  }));
  if (phase === 'finished') return judged;
  const known = new Set(judged.map(({ stated }) => stated));
  const waiting = assertions.filter((stated) => !known.has(stated)).map(statedRow);
  return [...judged, ...waiting].sort((one, other) => one.index - other.index);
}

/** The assertions under another one: verdicts are of what decided it, what is only stated is all that could. */
export function nestedRows({ stated, verdict }: AssertionRow, stale: boolean): AssertionRow[] {
  const known = stated?.nested ?? [];
  if (!verdict) return known.map(statedRow);
  const nested = verdict.nested ?? [];
  const isRecalled = recalledAmong(nested);
  return nested.map((one) => ({
    ...judgedRow(one, known, stale),
    recalled: isRecalled(one),
  }));
}

/** @param stale whether the case has changed, for verdicts that do not say what they answer */
function judgedRow(
  verdict: Verdict,
  assertions: readonly StatedAssertion[],
  stale: boolean,
): AssertionRow {
  const { assertion, question_hash } = verdict;
  const stated = statedOf(verdict, assertions);
  const changed = question_hash === undefined ? stale : question_hash !== stated?.questionHash;
  return { index: assertion.index, verdict, stated, changed };
}

function statedRow(stated: StatedAssertion): AssertionRow {
  return { index: stated.index, stated, changed: false };
}
