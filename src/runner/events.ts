import type { Turn } from '../core/conversation.ts';
import type { CaseRef } from '../core/identity.ts';
import type { CaseLine, EndLine, RunLine } from '../core/record/runRecord.ts';
import type { SuiteCase } from '../core/suite.ts';
import type { Verdict } from '../core/verdict.ts';
import type { RecordRoot } from '../node/paths.ts';

/** What a resumed run found in its records. */
export interface ResumeSummary {
  /** Number of finished executions that don't run again. */
  readonly reused: number;
  /** Finished executions that run again, because their cases were edited. */
  readonly edited: readonly CaseRef[];
  /** Number of finished executions whose cases are no longer in the files. */
  readonly gone: number;
}

/** An event of a run. For each case, the order is: started, turns, verdicts, finished. */
export type RunEvent =
  | {
      readonly kind: 'run-started';
      readonly run: RunLine;
      /** Paths of the records, absolute. */
      readonly records: readonly string[];
      /** Record roots by suite path. */
      readonly dataFolders: ReadonlyMap<string, RecordRoot>;
      readonly cases: readonly CaseRef[];
      readonly resumed?: ResumeSummary;
      /** If a run judges again, the number of conversations whose cases are no longer in the files. */
      readonly gone?: number;
    }
  | { readonly kind: 'case-started'; readonly ref: CaseRef; readonly case: SuiteCase }
  /** The start of a turn that is still arriving; `turn` follows once it is complete. */
  | { readonly kind: 'speaking'; readonly ref: CaseRef; readonly turn: Turn }
  | { readonly kind: 'turn'; readonly ref: CaseRef; readonly turn: Turn }
  | { readonly kind: 'verdict'; readonly ref: CaseRef; readonly verdict: Verdict }
  | { readonly kind: 'output'; readonly ref: CaseRef; readonly text: string }
  | {
      readonly kind: 'case-finished';
      readonly ref: CaseRef;
      readonly line: CaseLine;
      /** Whether the line is from before the run was resumed. */
      readonly earlier?: true;
    }
  | { readonly kind: 'run-finished'; readonly end: EndLine };

/** What happens in a case: a `RunEvent` without the reference to the case. */
export type CaseEvent = WithoutRef<RunEvent>;

type WithoutRef<Event> = Event extends { readonly ref: CaseRef } ? Omit<Event, 'ref'> : never;
