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
