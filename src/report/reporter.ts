import { stateAssertions } from '../assertions/stateAssertions.ts';
import { groupBy } from '../core/data/data.ts';
import { unreachable } from '../core/errors.ts';
import { type CaseRef, caseKey, executionKey } from '../core/identity.ts';
import { combineRepetitions, type RepeatedCase } from '../core/record/repetitions.ts';
import {
  type CaseLine,
  type CaseSummary,
  type EndLine,
  type RunLine,
  runDuration,
  summaryOf,
} from '../core/record/runRecord.ts';
import type { StatedAssertion } from '../core/statedAssertion.ts';
import type { SuiteCase } from '../core/suite.ts';
import { isFailure, type Usage, usageOf } from '../core/verdict.ts';
import { SpillBuffer } from '../disk/spillBuffer.ts';
import { type RecordHome, recordedPath } from '../node/paths.ts';
import type { RunEvent } from '../runner/events.ts';

/**
 * Writes a run that is over as a text, piece by piece.
 *
 * @param folder paths are given relative to it
 */
export type Report = (log: RunLog, folder: string) => Iterable<string>;

/** A case with all its finished repetitions. */
export interface CaseResult extends RepeatedCase {
  readonly lines: readonly [CaseSummary, ...CaseSummary[]];
  /** Share of the repetitions that must pass, 0..1. */
  readonly needed: number;
}

/** A finished case with its assertions as they stood in the file. */
interface Execution {
  readonly line: CaseLine;
  readonly assertions: readonly StatedAssertion[];
}

/** A run so far: a summary of each case, and its whole line in a buffer. */
export class RunLog {
  run: RunLine | undefined;
  end: EndLine | undefined;
  /** The files of the records, absolute. */
  records: readonly string[] = [];
  homes: ReadonlyMap<string, RecordHome> = new Map();
  readonly #keeps: (line: CaseLine) => boolean;
  #planned: readonly CaseRef[] = [];
  readonly #running = new Map<string, SuiteCase>();
  readonly #finished = new Map<string, CaseSummary>();
  /** What share of its repetitions a case needs, where that is not all of them. */
  readonly #needed = new Map<string, number>();
  readonly #lines = new SpillBuffer();
  readonly #places = new Map<CaseSummary, number>();
  #cases: readonly CaseSummary[] | undefined;
  #results: readonly CaseResult[] | undefined;

  /** @param keeps which lines are to be had whole afterwards; all by default */
  constructor(keeps: (line: CaseLine) => boolean = () => true) {
    this.#keeps = keeps;
  }

  add(event: RunEvent): void {
    switch (event.kind) {
      case 'run-started':
        this.run = event.run;
        this.records = event.records;
        this.homes = event.homes;
        this.#planned = event.cases;
        break;
      case 'case-started': {
        const { pass } = event.case.repeat;
        this.#running.set(executionKey(event.ref), event.case);
        if (pass !== 1) this.#needed.set(caseKey(event.ref), pass);
        break;
      }
      case 'case-finished':
        this.#finish(executionKey(event.ref), event.line);
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

  #finish(key: string, line: CaseLine): void {
    const summary = summaryOf(line);
    if (this.#keeps(line)) {
      const known = this.#running.get(key);
      const execution: Execution = { line, assertions: known ? stateAssertions(known) : [] };
      this.#places.set(summary, this.#lines.put(JSON.stringify(execution)));
    }
    if (line.must_pass !== undefined) this.#needed.set(caseKey(line), line.must_pass);
    this.#running.delete(key);
    this.#finished.set(key, summary);
    this.#cases = undefined;
    this.#results = undefined;
  }

  /** The path of a suite as its record has it. */
  recordedSuite(suite: string): string {
    const home = this.homes.get(suite);
    return home ? recordedPath(home, suite) : suite;
  }

  /** Milliseconds of the run since it was begun or continued, once it is over. */
  get duration(): number {
    return this.run && this.end ? runDuration(this.run, this.end.finished) : 0;
  }

  get planned(): number {
    return this.#planned.length;
  }

  /** Finished cases in the order of the files, whichever ended first. */
  get cases(): readonly CaseSummary[] {
    this.#cases ??= this.#inOrder();
    return this.#cases;
  }

  #inOrder(): CaseSummary[] {
    const left = new Map(this.#finished);
    const planned = this.#planned.flatMap((ref) => {
      const key = executionKey(ref);
      const summary = left.get(key);
      left.delete(key);
      return summary ? [summary] : [];
    });
    return [...planned, ...left.values()];
  }

  /** The same by case, its repetitions taken together. */
  get results(): readonly CaseResult[] {
    this.#results ??= [...groupBy(this.cases, caseKey)].map(([key, lines]) => {
      const needed = this.#needed.get(key) ?? 1;
      return { lines, needed, ...combineRepetitions(lines, needed) };
    });
    return this.#results;
  }

  /** Whole, with what was said and why; one at a time is in memory. */
  *executions(of: Iterable<CaseSummary> = this.cases): Generator<Execution> {
    for (const summary of of) {
      const place = this.#places.get(summary);
      if (place === undefined) throw new Error('Internal error: this case was not kept whole.');
      yield JSON.parse(this.#lines.get(place)) as Execution;
    }
  }

  /** As `executions`, the lines alone. */
  *lines(of?: Iterable<CaseSummary>): Generator<CaseLine> {
    for (const { line } of this.executions(of)) yield line;
  }

  /**
   * The executions that keep the run from being all right: not those that failed where enough other
   * repetitions of the case passed.
   */
  get failures(): CaseSummary[] {
    return this.results.filter(isFailure).flatMap(({ lines }) => lines.filter(isFailure));
  }

  /** How many executions did not come to their end. */
  get unfinished(): number {
    return this.planned - this.#finished.size;
  }

  get usage(): Usage {
    return usageOf(this.cases);
  }
}
