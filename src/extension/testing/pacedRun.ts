import type * as vscode from 'vscode';
import { Throttle } from '../../core/scheduling.ts';

/** Milliseconds between two bursts. */
const PACE = 100;

/** As many outcomes of a burst are told with how long they took: VS Code adds up all siblings for each. */
export const MOST_TIMED = 50;

/** Tells the outcome of an item. @param duration milliseconds; undefined where it is left out */
export type TellOutcome = (
  run: vscode.TestRun,
  item: vscode.TestItem,
  duration: number | undefined,
) => void;

interface Outcome {
  readonly item: vscode.TestItem;
  readonly duration: number;
  readonly tell: TellOutcome;
}

interface Output {
  readonly item: vscode.TestItem;
  readonly text: string;
}

/**
 * Tells VS Code of a run in bursts. What is told at once arrives and is drawn as one; told one by one,
 * thousands of short cases take VS Code many times as long as they take us.
 */
export class PacedRun {
  readonly #run: vscode.TestRun;
  readonly #began = new Set<vscode.TestItem>();
  #told: (Outcome | Output)[] = [];
  readonly #throttle = new Throttle(PACE, () => this.#tell());

  constructor(run: vscode.TestRun) {
    this.#run = run;
  }

  /** Not told of what has ended before the burst. */
  started(item: vscode.TestItem): void {
    this.#began.add(item);
    this.#throttle.schedule();
  }

  output(item: vscode.TestItem, text: string): void {
    this.#told.push({ item, text });
    this.#throttle.schedule();
  }

  ended(item: vscode.TestItem, duration: number, tell: TellOutcome): void {
    this.#began.delete(item);
    this.#told.push({ item, duration, tell });
    this.#throttle.schedule();
  }

  /** Tells what has not been told yet. */
  flush(): void {
    this.#throttle.flush();
  }

  #tell(): void {
    const told = this.#told;
    this.#told = [];
    for (const item of this.#began) this.#run.started(item);
    this.#began.clear();
    const isTimed = told.filter((one) => 'tell' in one).length <= MOST_TIMED;
    for (const one of told) {
      if ('text' in one) this.#run.appendOutput(one.text, undefined, one.item);
      else one.tell(this.#run, one.item, isTimed ? one.duration : undefined);
    }
  }
}
