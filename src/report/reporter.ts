import { compareVariants, type VariantComparison } from '../analysis/compareVariants.ts';
import { stateAssertions } from '../assertions/stateAssertions.ts';
import { groupBy } from '../core/data/data.ts';
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
import { isFailure } from '../core/scoring.ts';
import { Scrubber } from '../core/scrubber.ts';
import type { StatedAssertion } from '../core/statedAssertion.ts';
import type { SuiteCase } from '../core/suite.ts';
import { type Usage, usageOf } from '../core/verdict.ts';
import { SpillBuffer } from '../disk/spillBuffer.ts';
import { runSync } from '../node/cooperative.ts';
import { type RecordRoot, recordedPath } from '../node/paths.ts';
import type { RunEvent } from '../runner/events.ts';

/** Writes a finished run, in pieces. @param folder the folder that relative paths start from */
export type ReportWriter = (log: RunLog, folder: string) => Iterable<string>;

/** A case with its finished repetitions. */
export interface CaseResult extends RepeatedCase {
  readonly lines: readonly [CaseSummary, ...CaseSummary[]];
  /** Share of the repetitions that must pass, 0..1. */
  readonly needed: number;
}

/** A finished case with its assertions as written in the file. */
interface Execution {
  readonly line: CaseLine;
  readonly assertions: readonly StatedAssertion[];
}

/** The state of a run: one summary per case, with the full lines in a buffer. */
export class RunLog {
  run: RunLine | undefined;
  end: EndLine | undefined;
  /** Absolute paths. */
  records: readonly string[] = [];
  dataFolders: ReadonlyMap<string, RecordRoot> = new Map();
  readonly #scrubber: Scrubber;
  readonly #isNeeded: (line: CaseLine) => boolean;
  #planned: readonly CaseRef[] = [];
  readonly #running = new Map<string, SuiteCase>();
  readonly #finished = new Map<string, CaseSummary>();
  /** Required pass rates for cases in which not every repetition has to pass. */
  readonly #needed = new Map<string, number>();
  readonly #lines = new SpillBuffer();
  readonly #places = new Map<CaseSummary, number>();
  #cases: readonly CaseSummary[] | undefined;
  #results: readonly CaseResult[] | undefined;
  #variants: readonly VariantComparison[] | undefined;

  /**
   * @param isNeeded which lines to store in full; default: all
   * @param scrubber by default, assumes that events contain no secrets
   */
  constructor(isNeeded: (line: CaseLine) => boolean = () => true, scrubber = new Scrubber()) {
    this.#isNeeded = isNeeded;
    this.#scrubber = scrubber;
  }

  add(event: RunEvent): void {
    switch (event.kind) {
      case 'run-started':
        this.run = this.#scrubber.data(event.run);
        this.records = this.#scrubber.data(event.records);
        this.dataFolders = event.dataFolders;
        this.#planned = event.cases;
        break;
      case 'case-started': {
        const { pass } = event.case.repeat;
        this.#running.set(executionKey(event.ref), event.case);
        if (pass !== 1) this.#needed.set(caseKey(event.ref), pass);
        break;
      }
      case 'case-finished':
        this.#finish(executionKey(event.ref), this.#scrubber.data(event.line));
        break;
      case 'run-finished':
        this.end = event.end;
        break;
      default:
    }
  }

  #finish(key: string, line: CaseLine): void {
    const summary = summaryOf(line);
    if (this.#isNeeded(line)) {
      const known = this.#running.get(key);
      const assertions = this.#scrubber.data(known ? stateAssertions(known) : []);
      const execution: Execution = { line, assertions };
      this.#places.set(summary, this.#lines.put(JSON.stringify(execution)));
    }
    if (line.must_pass !== undefined) this.#needed.set(caseKey(line), line.must_pass);
    this.#running.delete(key);
    this.#finished.set(key, summary);
    this.#cases = undefined;
    this.#results = undefined;
    this.#variants = undefined;
  }

  /** The path of a suite, as in its record. */
  recordedSuite(suite: string): string {
    const dataFolder = this.dataFolders.get(suite);
    return dataFolder ? recordedPath(dataFolder, suite) : suite;
  }

  /** Milliseconds from when a finished run was started or resumed until it ended. */
  get duration(): number {
    return this.run && this.end ? runDuration(this.run, this.end.finished) : 0;
  }

  get planned(): number {
    return this.#planned.length;
  }

  /** Finished cases in the order of the files. */
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

  /** Finished cases, with their repetitions combined. */
  get results(): readonly CaseResult[] {
    this.#results ??= [...groupBy(this.cases, caseKey)].map(([key, lines]) => {
      const needed = this.#needed.get(key) ?? 1;
      return { lines, needed, ...combineRepetitions(lines, needed) };
    });
    return this.#results;
  }

  /** Comparisons of the targets' variants. */
  get variants(): readonly VariantComparison[] {
    this.#variants ??= runSync(compareVariants(this.cases));
    return this.#variants;
  }

  /** Full executions; only one at a time is in memory. */
  *executions(of: Iterable<CaseSummary> = this.cases): Generator<Execution> {
    for (const summary of of) {
      const place = this.#places.get(summary);
      if (place === undefined) throw new Error('Internal error: this case was not kept whole.');
      yield JSON.parse(this.#lines.get(place)) as Execution;
    }
  }

  /** The lines of `executions`. */
  *lines(of?: Iterable<CaseSummary>): Generator<CaseLine> {
    for (const { line } of this.executions(of)) yield line;
  }

  /** Failed executions, except for cases in which enough other repetitions passed. */
  get failures(): CaseSummary[] {
    return this.results.filter(isFailure).flatMap(({ lines }) => lines.filter(isFailure));
  }

  /** Number of executions that didn't finish. */
  get unfinished(): number {
    return this.planned - this.#finished.size;
  }

  /** The executions that didn't finish, in the order of the files. */
  get unfinishedRefs(): readonly CaseRef[] {
    return this.#planned.filter((ref) => !this.#finished.has(executionKey(ref)));
  }

  get usage(): Usage {
    return usageOf(this.cases);
  }
}
