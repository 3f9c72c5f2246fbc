import type * as vscode from 'vscode';
import { Throttle } from '../../core/scheduling.ts';

/** Milliseconds between two batches. */
const INTERVAL = 100;

/**
 * Maximum number of outcomes to send with durations. For each one, VS Code adds up the durations of all of its
 * siblings.
 */
export const MAX_TIMED = 50;

/** Reports the outcome of an item. @param duration milliseconds; undefined to omit it */
export type ReportOutcome = (
  run: vscode.TestRun,
  item: vscode.TestItem,
  duration: number | undefined,
) => void;

/** Sends updates of a run to VS Code in batches, because thousands of individual updates would keep it busy. */
export class BatchedTestRun {
  readonly #run: vscode.TestRun;
  readonly #started = new Set<vscode.TestItem>();
  #pending: ((isTimed: boolean) => void)[] = [];
  /** Number of outcomes in `#pending`. */
  #outcomes = 0;
  readonly #throttle = new Throttle(INTERVAL, () => this.#send());

  constructor(run: vscode.TestRun) {
    this.#run = run;
  }

  /** Marks an item as started. Omitted if the item ends in the same batch. */
  started(item: vscode.TestItem): void {
    this.#started.add(item);
    this.#throttle.schedule();
  }

  output(item: vscode.TestItem, text: string): void {
    this.#pending.push(() => this.#run.appendOutput(text, undefined, item));
    this.#throttle.schedule();
  }

  ended(item: vscode.TestItem, duration: number, report: ReportOutcome): void {
    this.#started.delete(item);
    this.#outcomes += 1;
    this.#pending.push((isTimed) => report(this.#run, item, isTimed ? duration : undefined));
    this.#throttle.schedule();
  }

  /** Sends the pending updates. */
  flush(): void {
    this.#throttle.flush();
  }

  #send(): void {
    const isTimed = this.#outcomes <= MAX_TIMED;
    for (const item of this.#started) this.#run.started(item);
    for (const send of this.#pending) send(isTimed);
    this.#started.clear();
    this.#pending = [];
    this.#outcomes = 0;
  }
}
