import { type StatedAssertion, statedOf } from '../../src/core/statedAssertion.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import type { AssertionRow } from './stated.ts';

/** The case's assertions: those that were judged and, before it ended, those that will be. */
export function assertionRows({ phase, assertions, verdicts, changed }: Snapshot): AssertionRow[] {
  const stale = changed !== undefined;
  // What stands in one request is paid, and recalled, by the first of its verdicts.
  const requests = new Set(verdicts.filter(isRecalled).flatMap(requestOf));
  const judged = verdicts.map((verdict) => {
    const recalled = isRecalled(verdict) || requestOf(verdict).some((one) => requests.has(one));
    return { ...judgedRow(verdict, assertions, stale), recalled };
  });
  if (phase === 'finished') return judged;
  const known = new Set(judged.map(({ stated }) => stated));
  const waiting = assertions.filter((stated) => !known.has(stated)).map(statedRow);
  return [...judged, ...waiting].sort((one, other) => one.index - other.index);
}

/** The assertions under another one: verdicts are of what decided it, what is only stated is all that could. */
export function nestedRows({ stated, verdict }: AssertionRow, stale: boolean): AssertionRow[] {
  const known = stated?.nested ?? [];
  if (!verdict) return known.map(statedRow);
  return (verdict.nested ?? []).map((one) => ({
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

function isRecalled({ usage }: Verdict): boolean {
  return usage.calls === 0 && (usage.from_cache ?? 0) > 0;
}

/** The request that its question stood in. */
function requestOf({ judge }: Verdict): string[] {
  return judge?.prompt_hash === undefined ? [] : [judge.prompt_hash];
}

function statedRow(stated: StatedAssertion): AssertionRow {
  return { index: stated.index, stated, changed: false };
}
