import type * as vscode from 'vscode';
import { Throttle } from '../../core/scheduling.ts';

/** Milliseconds between two batches. */
const INTERVAL = 100;

/** Maximum size of a batch with durations: for each, VS Code sums up those of all siblings. */
export const MAX_TIMED = 50;

/** Reports the outcome of an item. @param duration milliseconds; undefined to omit it */
export type ReportOutcome = (
  run: vscode.TestRun,
  item: vscode.TestItem,
  duration: number | undefined,
) => void;

interface PendingOutcome {
  readonly item: vscode.TestItem;
  readonly duration: number;
  readonly report: ReportOutcome;
}

interface PendingOutput {
  readonly item: vscode.TestItem;
  readonly text: string;
}

/**
 * Sends updates of a run to VS Code in batches. VS Code processes and renders a batch in one go; thousands of
 * individual updates cost it far more time than they cost us.
 */
export class BatchedTestRun {
  readonly #run: vscode.TestRun;
  readonly #started = new Set<vscode.TestItem>();
  #pending: (PendingOutcome | PendingOutput)[] = [];
  readonly #throttle = new Throttle(INTERVAL, () => this.#send());

  constructor(run: vscode.TestRun) {
    this.#run = run;
  }

  /** Omitted if the item ends in the same batch. */
  started(item: vscode.TestItem): void {
    this.#started.add(item);
    this.#throttle.schedule();
  }

  output(item: vscode.TestItem, text: string): void {
    this.#pending.push({ item, text });
    this.#throttle.schedule();
  }

  ended(item: vscode.TestItem, duration: number, report: ReportOutcome): void {
    this.#started.delete(item);
    this.#pending.push({ item, duration, report });
    this.#throttle.schedule();
  }

  /** Sends the pending updates. */
  flush(): void {
    this.#throttle.flush();
  }

  #send(): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const item of this.#started) this.#run.started(item);
    this.#started.clear();
    const isTimed = pending.filter((one) => 'report' in one).length <= MAX_TIMED;
    for (const one of pending) {
      if ('text' in one) this.#run.appendOutput(one.text, undefined, one.item);
      else one.report(this.#run, one.item, isTimed ? one.duration : undefined);
    }
  }
}
