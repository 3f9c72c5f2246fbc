import * as vscode from 'vscode';
import { groupBy } from '../../core/data/data.ts';
import { type CaseRef, caseKey } from '../../core/identity.ts';
import type { RepeatedLine } from '../../core/record/repetitions.ts';
import type { CaseLine, EndLine } from '../../core/record/runRecord.ts';
import { Throttle } from '../../core/scheduling.ts';
import type { RunEvent } from '../../runner/events.ts';
import { Disposing } from '../disposables.ts';
import {
  addOutcome,
  EMPTY_COUNT,
  type RunCount,
  recordedCount,
  runStatusText,
  subtractCases,
} from './runStatusText.ts';

/** Milliseconds between two updates. */
const INTERVAL = 100;

/** Shows the progress of a run in the status bar and its result until the next run. */
export class RunStatus extends Disposing {
  readonly #item = this.keep(
    vscode.window.createStatusBarItem('turnlight.run', vscode.StatusBarAlignment.Left),
  );
  #count: RunCount = EMPTY_COUNT;
  /** Outcomes of each case. */
  #counted = new Map<string, RepeatedLine[]>();
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

  /** Announces a run that waits for earlier runs. @param expected number of executions, before the files are read */
  expect(expected: number): void {
    this.#waiting += 1;
    this.#draw(this.#finished === undefined ? this.#count : { ...EMPTY_COUNT, total: expected });
  }

  /** @param expected number of executions, before the files are read */
  begin(expected: number): void {
    this.#waiting -= 1;
    this.#finished = undefined;
    this.#count = EMPTY_COUNT;
    this.#counted = new Map();
    this.#draw({ ...EMPTY_COUNT, total: expected });
  }

  handle(event: RunEvent): void {
    if (event.kind === 'run-started') {
      this.#show({ ...this.#count, total: this.#count.total + event.cases.length });
    } else if (event.kind === 'case-finished') {
      this.#add(event.ref, event.line);
    }
  }

  /** Counts cases that can't run because of errors in the file. */
  invalid(count: number): void {
    const { total, done, ended } = this.#count;
    const added = { total: total + count, done: done + count };
    this.#show({ ...this.#count, ...added, ended: { ...ended, error: ended.error + count } });
  }

  end(): void {
    this.#finished = new Date().toISOString();
    this.#show({ ...this.#count, over: true });
  }

  /** Shows another process's run, if it is newer and no run is active here. */
  recorded(lines: readonly RepeatedLine[], end: EndLine): void {
    if (this.#finished === undefined || this.#finished > end.finished) return;
    this.#finished = end.finished;
    this.#counted = groupBy(lines, caseKey);
    this.#show(recordedCount(lines, end));
  }

  /** Removes the results of conversations that no longer exist. */
  remove(id: string, variants: readonly string[]): void {
    if (this.#finished === undefined) return;
    const gone = [...this.#counted].filter(([, [one]]) => {
      return one?.id === id && variants.includes(one.variant ?? '');
    });
    for (const [key] of gone) this.#counted.delete(key);
    const lines = gone.flatMap(([, own]) => own);
    if (lines.length > 0) this.#show(subtractCases(this.#count, lines));
  }

  #add(ref: CaseRef, { status, score, must_pass, verdicts }: CaseLine): void {
    // Without its conversation, so that the conversation doesn't stay in memory.
    const judged = verdicts.map((one) => ({
      status: one.status,
      assertion: { required: one.assertion.required },
    }));
    const line = { ...ref, status, score, must_pass, verdicts: judged };
    const known = this.#counted.get(caseKey(ref)) ?? [];
    const count = addOutcome(this.#count, line, known);
    this.#counted.set(caseKey(ref), [...known, line]);
    this.#show(count);
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
