/** Names a case, over runs and edits. */
export interface CaseIdentity {
  /** The suite's file, absolute; in records from their root. */
  readonly suite: string;
  readonly id: string;
  /** Which of the conversations that a case stands for, where it stands for several. */
  readonly variant?: string | undefined;
}

/** Names one execution of a case within a run. */
export interface CaseRef extends CaseIdentity {
  /** From 1. */
  readonly repetition: number;
}

/** A key of a case in a map. */
export function caseKey({ suite, id, variant }: CaseIdentity): string {
  return JSON.stringify([suite, id, variant]);
}

/** A key of one execution of a case in a map. */
export function executionKey(ref: CaseRef): string {
  return JSON.stringify([caseKey(ref), ref.repetition]);
}
