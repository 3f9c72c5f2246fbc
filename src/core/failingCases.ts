import { type CaseRef, executionKey } from './identity.ts';
import { isFailure } from './scoring.ts';
import type { Status } from './verdict.ts';

export interface FailingCases {
  readonly count: number;
  /** Position of the shown case among the failing ones, from 1; undefined if it didn't fail. */
  readonly at: number | undefined;
  /** The next or previous failing case, wrapping around. */
  neighbor(step: 1 | -1): CaseRef;
}

/** Undefined if no other case failed. @param shown a case of the run */
export function failingCases(
  ended: readonly (CaseRef & { readonly status: Status })[],
  shown: CaseRef,
): FailingCases | undefined {
  const failing = ended.filter(isFailure);
  const isShown = (one: CaseRef) => executionKey(one) === executionKey(shown);
  if (failing.every(isShown)) return undefined;
  const at = failing.findIndex(isShown);
  const before = ended.slice(0, Math.max(0, ended.findIndex(isShown))).filter(isFailure).length;
  return {
    count: failing.length,
    at: at < 0 ? undefined : at + 1,
    neighbor(step) {
      const next = step === 1 ? before + (at < 0 ? 0 : 1) : before - 1;
      return failing[(next + failing.length) % failing.length] as CaseRef;
    },
  };
}
