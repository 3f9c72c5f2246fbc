import * as vscode from 'vscode';
import type { CaseLine, EndLine } from '../../core/record/runRecord.ts';
import { Throttle } from '../../core/scheduling.ts';
import type { RunEvent } from '../../runner/events.ts';
import { Disposing } from '../disposables.ts';
import {
  countWithout,
  NOTHING_RUN,
  type RunCount,
  recordedCount,
  runStatusText,
} from './runStatusText.ts';

/** Milliseconds between two counts that are shown. */
const PACE = 100;

type Counted = Pick<CaseLine, 'id' | 'variant' | 'status'>;

/** Tells in the status bar how far the run is and, until the next one, how it ended. */
export class RunStatus extends Disposing {
  readonly #item = this.keep(
    vscode.window.createStatusBarItem('turnlight.run', vscode.StatusBarAlignment.Left),
  );
  #count: RunCount = NOTHING_RUN;
  /** The executions in it that came to an outcome. */
  #counted: Counted[] = [];
  /** When the run that is told of ended, ISO 8601; absent while it goes on. */
  #finished: string | undefined = '';
  /** Runs that were asked for and have not begun. */
  #waiting = 0;
  readonly #throttle = this.keep(new Throttle(PACE, () => this.#draw(this.#count)));

  constructor() {
    super();
    this.#item.name = 'Turnlight';
    this.#item.tooltip = 'Turnlight: show the cases and their results';
    this.#item.command = 'workbench.view.testing.focus';
  }

  /** A run was asked for, and begins after those before it. @param expected how many executions, as far as it is known before the files are read */
  expect(expected: number): void {
    this.#waiting += 1;
    this.#draw(this.#finished === undefined ? this.#count : { ...NOTHING_RUN, total: expected });
  }

  /** @param expected as in `expect` */
  begin(expected: number): void {
    this.#waiting -= 1;
    this.#finished = undefined;
    this.#count = NOTHING_RUN;
    this.#counted = [];
    this.#draw({ ...NOTHING_RUN, total: expected });
  }

  hear(event: RunEvent): void {
    const { total, ended } = this.#count;
    if (event.kind === 'run-started') {
      this.#show({ ...this.#count, total: total + event.cases.length });
    } else if (event.kind === 'case-finished') {
      const { status } = event.line;
      this.#counted.push({ ...event.ref, status });
      this.#show({ ...this.#count, ended: { ...ended, [status]: ended[status] + 1 } });
    }
  }

  /** Cases that cannot run, because of mistakes in the file. */
  invalid(count: number): void {
    const { total, ended } = this.#count;
    this.#show({
      ...this.#count,
      total: total + count,
      ended: { ...ended, error: ended.error + count },
    });
  }

  end(): void {
    this.#finished = new Date().toISOString();
    this.#show({ ...this.#count, over: true });
  }

  /** A run of another process, which counts if it was the last and none goes on here. */
  recorded(lines: readonly Counted[], end: EndLine): void {
    if (this.#finished === undefined || this.#finished > end.finished) return;
    this.#finished = end.finished;
    this.#counted = [...lines];
    this.#show(recordedCount(lines, end));
  }

  /** Conversations of a case are gone: what they came to says nothing of what is there. */
  leaveOut(id: string, variants: readonly string[]): void {
    const isGone = (one: Counted) =>
      one.id === id && one.variant !== undefined && variants.includes(one.variant);
    const gone = this.#counted.filter(isGone);
    if (gone.length === 0 || this.#finished === undefined) return;
    this.#counted = this.#counted.filter((one) => !isGone(one));
    this.#show(countWithout(this.#count, gone));
  }

  #show(count: RunCount): void {
    this.#count = count;
    if (count.over) this.#draw(count);
    else this.#throttle.schedule();
  }

  #draw(count: RunCount): void {
    this.#throttle.dispose();
    // One that waits for nothing begins at once.
    const waiting = this.#finished === undefined ? this.#waiting : 0;
    this.#item.text = runStatusText({ ...count, waiting });
    this.#item.show();
  }
}
