import { groupBy } from '../core/data/data.ts';
import { executionKey } from '../core/identity.ts';
import { durationText } from '../core/presentation/amounts.ts';
import { stopText } from '../core/presentation/conversation.ts';
import { visibleLine, visibleText } from '../core/presentation/visibleText.ts';
import type { CaseSummary } from '../core/record/caseSummary.ts';
import { isFailure } from '../core/verdict.ts';
import type { RunEvent } from '../runner/events.ts';
import { describeFailure } from './failures.ts';
import { createPaint, type Paint } from './paint.ts';
import { Progress } from './progress.ts';
import { RunLog } from './reporter.ts';
import { bySameError, sameErrorText } from './sameError.ts';
import { shownPath } from './shownPath.ts';
import { summaryLines } from './summary.ts';
import { caseCell, caseTable } from './table.ts';

export interface TerminalOptions {
  readonly write: (text: string) => void;
  /** A terminal: progress is redrawn in place. */
  readonly live: boolean;
  readonly colours: boolean;
  /** Columns and rows of the terminal at this moment. */
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Paths are shown relative to it. */
  readonly folder: string;
  /** Milliseconds, of any beginning. */
  readonly now: () => number;
}

/** Lines of a target's output that are kept for its case. */
const KEPT_OUTPUT = 10;
const REDRAW_EVERY = 80;
const STOP_LENGTH = 100;

/** For people: progress while it runs, then a table, the failures and the sums. */
export class TerminalReporter {
  readonly #options: TerminalOptions;
  readonly #paint: Paint;
  readonly #log: RunLog;
  readonly #progress = new Progress();
  readonly #output = new Map<string, string[]>();
  readonly #started: number;
  #drawn = 0;
  #redrawn = Number.NEGATIVE_INFINITY;
  /** Draws what came too soon after the last drawing, in case nothing comes after it for long. */
  #later: NodeJS.Timeout | undefined;

  /** @param log hears of the events through this reporter */
  constructor(options: TerminalOptions, log = new RunLog(isFailure)) {
    this.#options = options;
    this.#log = log;
    this.#paint = createPaint(options.colours);
    this.#started = options.now();
  }

  event(event: RunEvent): void {
    this.#log.add(event);
    this.#progress.add(event);
    if (event.kind === 'output') this.#keepOutput(executionKey(event.ref), event.text);
    if (event.kind !== 'case-finished') {
      this.#redraw(false);
      return;
    }
    if (event.line.status !== 'error') this.#output.delete(executionKey(event.ref));
    if (event.earlier) this.#redraw(false);
    else this.note(this.#finishedLine(event.line));
  }

  /** A line of its own above the progress. */
  note(text: string): void {
    this.#clear();
    this.#options.write(`${text}\n`);
    this.#redraw(true);
  }

  finish(): void {
    clearTimeout(this.#later);
    this.#clear();
    const { write, size, live, now } = this.#options;
    const took = now() - this.#started;
    const { cases } = this.#log;
    const width = Math.max(40, live ? size().columns : 120);
    for (const table of this.#tables(cases, width)) write(`\n${table}\n`);
    for (const lines of this.#failures(cases)) write(`\n${lines.join('\n')}\n`);
    const sections = [
      summaryLines(this.#log, this.#paint, took).join('\n'),
      ...this.#log.records.map((path) => `Record: ${this.#shownPath(path)}`),
      ...(this.#log.end?.cancelled ? [cancelledText(this.#log)] : []),
    ];
    write(`\n${sections.join('\n\n')}\n`);
  }

  #tables(cases: readonly CaseSummary[], width: number): string[] {
    return [...groupBy(cases, (line) => line.suite)].map(([suite, lines]) => {
      const name = visibleLine(lines[0].suite_name, 100);
      const title = `${this.#paint.bold(name)}  ${this.#paint.dim(this.#shownPath(suite))}`;
      return `${title}\n${caseTable(lines, this.#paint, width, this.#options.live)}`;
    });
  }

  *#failures(cases: readonly CaseSummary[]): Generator<string[]> {
    const style = { paint: this.#paint, shownPath: (path: string) => this.#shownPath(path) };
    for (const [first, ...others] of bySameError(cases.filter(isFailure))) {
      const same = sameErrorText(others).map((text) => `  ${visibleLine(text)}`);
      for (const line of this.#log.lines([first])) {
        const output = this.#output.get(executionKey(line)) ?? [];
        yield [...describeFailure(line, output, style), ...same];
      }
    }
  }

  #finishedLine(line: CaseSummary): string {
    const stop = stopText(line);
    const ended = stop === undefined ? '' : `, ${visibleLine(stop, STOP_LENGTH)}`;
    return `${caseCell(line, this.#paint)}  ${this.#paint.dim(durationText(line.duration) + ended)}`;
  }

  #keepOutput(key: string, text: string): void {
    const lines = visibleText(text)
      .split('\n')
      .filter((line) => line.trim() !== '');
    this.#output.set(key, [...(this.#output.get(key) ?? []), ...lines].slice(-KEPT_OUTPUT));
  }

  #redraw(now: boolean): void {
    const { live, write, size } = this.#options;
    if (!live || this.#log.end) return;
    const time = this.#options.now();
    if (!now && time - this.#redrawn < REDRAW_EVERY) {
      this.#later ??= setTimeout(() => this.#redraw(true), REDRAW_EVERY).unref();
      return;
    }
    clearTimeout(this.#later);
    this.#later = undefined;
    this.#redrawn = time;
    this.#clear();
    const { columns, rows } = size();
    const lines = this.#progress.lines(columns - 1).slice(-Math.max(1, rows - 1));
    write(lines.map((line) => `${this.#paint.dim(line)}\n`).join(''));
    this.#drawn = lines.length;
  }

  #clear(): void {
    if (this.#drawn === 0) return;
    // Up to the first drawn line, then clear to the end of the screen.
    this.#options.write(`\u001b[${this.#drawn}A\u001b[J`);
    this.#drawn = 0;
  }

  #shownPath(path: string): string {
    return shownPath(path, this.#options.folder);
  }
}

/** What a person can do after Ctrl+C. */
function cancelledText({ run, records }: RunLog): string {
  if (records.length === 0) return 'Run cancelled. It was not recorded.';
  const next = run?.judged_from === undefined ? ' To go on: turnlight run --resume' : '';
  return `Run cancelled. Finished cases are kept.${next}`;
}
