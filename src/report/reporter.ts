import { groupBy } from '../core/data/data.ts';
import { type CaseIdentity, type CaseRef, caseKey, executionKey } from '../core/identity.ts';
import type { RecordHome } from '../core/record/recordPaths.ts';
import type { CaseLine, EndLine, RunLine } from '../core/record/runRecord.ts';
import type { SuiteCase } from '../core/suite.ts';
import { unreachable } from '../core/unreachable.ts';
import { addUsage, isFailure, NO_USAGE, type Usage } from '../core/verdict.ts';
import type { RunEvent } from '../runner/events.ts';
import { combineRepetitions, type RepeatedCase } from '../runner/repetitions.ts';

/**
 * Writes a run that is over as one text.
 *
 * @param folder paths are given relative to it
 */
export type Report = (log: RunLog, folder: string) => string;

/** A case with all its finished repetitions. */
export interface CaseResult extends RepeatedCase {
  readonly lines: readonly [CaseLine, ...CaseLine[]];
  /** Share of the repetitions that must pass, 0..1. */
  readonly needed: number;
}

/** What is known of a run so far. */
export class RunLog {
  run: RunLine | undefined;
  end: EndLine | undefined;
  /** The files of the records, absolute. */
  records: readonly string[] = [];
  homes: ReadonlyMap<string, RecordHome> = new Map();
  #planned: readonly CaseRef[] = [];
  readonly #finished = new Map<string, CaseLine>();
  readonly #cases = new Map<string, SuiteCase>();

  add(event: RunEvent): void {
    switch (event.kind) {
      case 'run-started':
        this.run = event.run;
        this.records = event.records;
        this.homes = event.homes;
        this.#planned = event.cases;
        break;
      case 'case-started':
        this.#cases.set(caseKey(event.ref), event.case);
        break;
      case 'case-finished':
        this.#finished.set(executionKey(event.ref), event.line);
        break;
      case 'run-finished':
        this.end = event.end;
        break;
      case 'speaking':
      case 'turn':
      case 'verdict':
      case 'output':
        break;
      default:
        unreachable(event);
    }
  }

  /** Milliseconds of the run since it was begun or continued, once it is over. */
  get duration(): number {
    if (!this.run || !this.end) return 0;
    const { started, resumed = [] } = this.run;
    return Math.max(0, Date.parse(this.end.finished) - Date.parse(resumed.at(-1) ?? started));
  }

  get planned(): number {
    return this.#planned.length;
  }

  /** Finished cases in the order of the files, whichever ended first. */
  get cases(): CaseLine[] {
    const left = new Map(this.#finished);
    const planned = this.#planned.flatMap((ref) => {
      const line = left.get(executionKey(ref));
      left.delete(executionKey(ref));
      return line ? [line] : [];
    });
    return [...planned, ...left.values()];
  }

  /** The same by case, its repetitions taken together. */
  get results(): CaseResult[] {
    return [...groupBy(this.cases, caseKey)].map(([key, lines]) => {
      const needed = this.#cases.get(key)?.repeat.pass ?? 1;
      return { lines, needed, ...combineRepetitions(lines, needed) };
    });
  }

  /** The case of a line; undefined where it was not begun. */
  caseOf(line: CaseIdentity): SuiteCase | undefined {
    return this.#cases.get(caseKey(line));
  }

  /**
   * The executions that keep the run from being all right: not those that failed where enough other
   * repetitions of the case passed.
   */
  get failures(): CaseLine[] {
    return this.results.filter(isFailure).flatMap(({ lines }) => lines.filter(isFailure));
  }

  /** How many executions did not come to their end. */
  get unfinished(): number {
    return this.planned - this.#finished.size;
  }

  get usage(): Usage {
    return this.cases.reduce((sum, line) => addUsage(sum, line.usage), NO_USAGE);
  }
}
