import * as vscode from 'vscode';
import type { CaseLine, EndLine } from '../../core/record/runRecord.ts';
import { Throttle } from '../../core/scheduling.ts';
import type { RunEvent } from '../../runner/events.ts';
import { Disposing } from '../disposables.ts';
import {
  EMPTY_COUNT,
  type RunCount,
  recordedCount,
  runStatusText,
  subtractCounts,
} from './runStatusText.ts';

/** Milliseconds between two updates. */
const INTERVAL = 100;

type Counted = Pick<CaseLine, 'id' | 'variant' | 'status'>;

/** Shows the progress of a run in the status bar and, until the next one, its result. */
export class RunStatus extends Disposing {
  readonly #item = this.keep(
    vscode.window.createStatusBarItem('turnlight.run', vscode.StatusBarAlignment.Left),
  );
  #count: RunCount = EMPTY_COUNT;
  /** Executions with an outcome. */
  #counted: Counted[] = [];
  /** When the shown run ended, ISO 8601; undefined while it is active. */
  #finished: string | undefined = '';
  /** Number of requested runs that haven't started. */
  #waiting = 0;
  readonly #throttle = this.keep(new Throttle(INTERVAL, () => this.#draw(this.#count)));

  constructor() {
    super();
    this.#item.name = 'Turnlight';
    this.#item.tooltip = 'Turnlight: show the cases and their results';
    this.#item.command = 'workbench.view.testing.focus';
  }

  /** Announces a run, which waits for earlier ones. @param expected number of executions, before the files are read */
  expect(expected: number): void {
    this.#waiting += 1;
    this.#draw(this.#finished === undefined ? this.#count : { ...EMPTY_COUNT, total: expected });
  }

  /** @param expected number of executions, before the files are read */
  begin(expected: number): void {
    this.#waiting -= 1;
    this.#finished = undefined;
    this.#count = EMPTY_COUNT;
    this.#counted = [];
    this.#draw({ ...EMPTY_COUNT, total: expected });
  }

  handle(event: RunEvent): void {
    const { total, ended } = this.#count;
    if (event.kind === 'run-started') {
      this.#show({ ...this.#count, total: total + event.cases.length });
    } else if (event.kind === 'case-finished') {
      const { status } = event.line;
      this.#counted.push({ ...event.ref, status });
      this.#show({ ...this.#count, ended: { ...ended, [status]: ended[status] + 1 } });
    }
  }

  /** Counts cases that can't run because of errors in the file. */
  invalid(count: number): void {
    const { total, ended } = this.#count;
    const error = ended.error + count;
    this.#show({ ...this.#count, total: total + count, ended: { ...ended, error } });
  }

  end(): void {
    this.#finished = new Date().toISOString();
    this.#show({ ...this.#count, over: true });
  }

  /** Shows a run of another process, if it is newer and no run is active here. */
  recorded(lines: readonly Counted[], end: EndLine): void {
    if (this.#finished === undefined || this.#finished > end.finished) return;
    this.#finished = end.finished;
    this.#counted = [...lines];
    this.#show(recordedCount(lines, end));
  }

  /** Removes the results of conversations that no longer exist. */
  remove(id: string, variants: readonly string[]): void {
    const isGone = (one: Counted) => one.id === id && variants.includes(one.variant ?? '');
    const gone = this.#counted.filter(isGone);
    if (gone.length === 0 || this.#finished === undefined) return;
    this.#counted = this.#counted.filter((one) => !isGone(one));
    this.#show(subtractCounts(this.#count, gone));
  }

  #show(count: RunCount): void {
    this.#count = count;
    if (count.over) this.#draw(count);
    else this.#throttle.schedule();
  }

  #draw(count: RunCount): void {
    this.#throttle.dispose();
    // A run that doesn't wait starts immediately.
    const waiting = this.#finished === undefined ? this.#waiting : 0;
    this.#item.text = runStatusText({ ...count, waiting });
    this.#item.show();
  }
}
