import type { Turn } from '../core/conversation.ts';
import type { CaseRef } from '../core/identity.ts';
import type { CaseLine, EndLine, RunLine } from '../core/record/runRecord.ts';
import type { SuiteCase } from '../core/suite.ts';
import type { Verdict } from '../core/verdict.ts';
import type { RecordHome } from '../node/paths.ts';

/** What a run that goes on found of what it did before. */
export interface ResumeSummary {
  /** How many executions finished and need not run again. */
  readonly reused: number;
  /** Those that finished, and run anew because they were edited since. */
  readonly edited: readonly CaseRef[];
  /** How many that finished the files hold no more. */
  readonly gone: number;
}

/** What a run tells as it happens, in this order for each case: started, turns, verdicts, finished. */
export type RunEvent =
  | {
      readonly kind: 'run-started';
      readonly run: RunLine;
      /** The files of the records, absolute; none where none are kept. */
      readonly records: readonly string[];
      /** Where the suites keep their records, by their paths. */
      readonly dataFolders: ReadonlyMap<string, RecordHome>;
      readonly cases: readonly CaseRef[];
      /** Of a run that goes on: how much of it stands, and what runs anew. */
      readonly resumed?: ResumeSummary;
      /** How many conversations of the run that is judged anew the files hold no more. */
      readonly gone?: number;
    }
  | { readonly kind: 'case-started'; readonly ref: CaseRef; readonly case: SuiteCase }
  /** A turn of which more is to come, with all of it up to now; `turn` follows once it is whole. */
  | { readonly kind: 'speaking'; readonly ref: CaseRef; readonly turn: Turn }
  | { readonly kind: 'turn'; readonly ref: CaseRef; readonly turn: Turn }
  | { readonly kind: 'verdict'; readonly ref: CaseRef; readonly verdict: Verdict }
  | { readonly kind: 'output'; readonly ref: CaseRef; readonly text: string }
  | {
      readonly kind: 'case-finished';
      readonly ref: CaseRef;
      readonly line: CaseLine;
      /** Taken over from before the run was continued. */
      readonly earlier?: true;
    }
  | { readonly kind: 'run-finished'; readonly end: EndLine };

/** What happens in a case: a `RunEvent` without the name of the case. */
export type CaseEvent = WithoutRef<RunEvent>;

type WithoutRef<Event> = Event extends { readonly ref: CaseRef } ? Omit<Event, 'ref'> : never;
