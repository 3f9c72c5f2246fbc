import { isFailure, type Status } from './verdict.ts';

/** Identifies a case across runs and edits. */
export interface CaseIdentity {
  /** The suite's file: absolute, or relative to the root in records. */
  readonly suite: string;
  readonly id: string;
  /** The variant, if the case has several. */
  readonly variant?: string | undefined;
}

/** Identifies one execution of a case within a run. */
export interface CaseRef extends CaseIdentity {
  /** From 1. */
  readonly repetition: number;
}

export function caseKey({ suite, id, variant }: CaseIdentity): string {
  return JSON.stringify([suite, id, variant]);
}

export function executionKey(ref: CaseRef): string {
  return JSON.stringify([caseKey(ref), ref.repetition]);
}

interface Ended extends CaseRef {
  readonly status: Status;
}

/** The failed cases of a run, for stepping through them. */
export interface FailingCases {
  readonly count: number;
  /** Position of the shown case among them, from 1; undefined if it didn't fail. */
  readonly at: number | undefined;
  /** The next or previous one, wrapping around. */
  neighbor(step: 1 | -1): CaseRef;
}

/** Undefined if no other case failed. @param shown a case of the run */
export function failingCases(ended: readonly Ended[], shown: CaseRef): FailingCases | undefined {
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
