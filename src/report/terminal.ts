import { toConversation, turnsOf } from '../core/conversation.ts';
import { groupBy } from '../core/data/data.ts';
import { type CaseRef, executionKey } from '../core/identity.ts';
import { columnNames } from '../core/presentation/assertionColumns.ts';
import { verdictText } from '../core/presentation/verdictText.ts';
import { executionTitle, STATUS_ICONS, stopText } from '../core/presentation/words.ts';
import type { CaseSummary, VerdictSummary } from '../core/record/runRecord.ts';
import { isFailure } from '../core/scoring.ts';
import type { SuiteCase } from '../core/suite.ts';
import { counted, durationText } from '../core/text/format.ts';
import { visibleLine, visibleText } from '../core/text/visibleText.ts';
import type { RunEvent } from '../runner/events.ts';
import { describeFailure } from './failures.ts';
import { terminalLayout } from './findings/layout.ts';
import { variantTexts } from './findings/variantReport.ts';
import { RunLog } from './reporter.ts';
import { createPaint, type Paint, shownPath } from './style.ts';
import { summaryLines } from './summary.ts';
import { layOutTable } from './tables.ts';

interface TerminalOptions {
  readonly write: (text: string) => void;
  /** Whether to redraw progress in place. */
  readonly live: boolean;
  readonly colors: boolean;
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** The folder that relative paths start from. */
  readonly folder: string;
  /** Milliseconds since any fixed point. */
  readonly now: () => number;
}

/** Maximum number of output lines from a target to keep per case. */
const MAX_OUTPUT_LINES = 10;
/** Milliseconds. */
const REDRAW_INTERVAL = 80;
const MAX_STOP_TEXT = 100;

/** Shows the progress during the run, and afterwards a table, the failures, and the totals. */
export class TerminalReporter {
  readonly #options: TerminalOptions;
  readonly #paint: Paint;
  readonly #log: RunLog;
  readonly #progress = new Progress();
  readonly #output = new Map<string, string[]>();
  readonly #started: number;
  #drawn = 0;
  #redrawn = Number.NEGATIVE_INFINITY;
  /** The timer for drawing changes that arrive too soon after the last redraw. */
  #later: NodeJS.Timeout | undefined;

  /** @param log the log that this reporter passes its events to */
  constructor(options: TerminalOptions, log = new RunLog(isFailure)) {
    this.#options = options;
    this.#log = log;
    this.#paint = createPaint(options.colors);
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

  /** Prints a line above the progress display. */
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
      ...variantTexts(this.#log.variants, terminalLayout(this.#paint)),
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
    // If cases share an error, such as an endpoint that is down, only the first case is shown in full.
    const groups = groupBy(
      cases.filter(isFailure),
      (line) => errorOf(line) ?? executionTitle(line),
    );
    for (const [first, ...others] of groups.values()) {
      const same = sameErrorText(others).map((text) => `  ${visibleLine(text)}`);
      for (const line of this.#log.lines([first])) {
        const output = this.#output.get(executionKey(line)) ?? [];
        yield [...describeFailure(line, output, style), ...same];
      }
    }
  }

  #finishedLine(line: CaseSummary): string {
    const stop = stopText(line);
    const ended = stop === undefined ? '' : `, ${visibleLine(stop, MAX_STOP_TEXT)}`;
    return `${caseCell(line, this.#paint)}  ${this.#paint.dim(durationText(line.duration) + ended)}`;
  }

  #keepOutput(key: string, text: string): void {
    const lines = visibleText(text)
      .split('\n')
      .filter((line) => line.trim() !== '');
    this.#output.set(key, [...(this.#output.get(key) ?? []), ...lines].slice(-MAX_OUTPUT_LINES));
  }

  #redraw(now: boolean): void {
    const { live, write, size } = this.#options;
    if (!live || this.#log.end) return;
    const time = this.#options.now();
    if (!now && time - this.#redrawn < REDRAW_INTERVAL) {
      this.#later ??= setTimeout(() => this.#redraw(true), REDRAW_INTERVAL).unref();
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
    // Moves to the first drawn line, then clears to the end of the screen.
    this.#options.write(`\u001b[${this.#drawn}A\u001b[J`);
    this.#drawn = 0;
  }

  #shownPath(path: string): string {
    return shownPath(path, this.#options.folder);
  }
}

/** Says what to do after Ctrl+C. */
function cancelledText({ run, records }: RunLog): string {
  if (records.length === 0) return 'Run canceled. It was not recorded.';
  const next = run?.judged_from === undefined ? ' To continue: turnlight run --resume' : '';
  return `Run canceled. Finished cases are kept.${next}`;
}

interface Running {
  readonly ref: CaseRef;
  readonly case: SuiteCase;
  turn: number;
  readonly judged: Set<number>;
}

/** The running cases, and which turn or assertion each of them has reached. */
class Progress {
  readonly #running = new Map<string, Running>();
  #finished = 0;
  #planned = 0;

  add(event: RunEvent): void {
    if (event.kind === 'run-started') this.#planned = event.cases.length;
    if (!('ref' in event)) return;
    const { ref } = event;
    const key = executionKey(ref);
    const running = this.#running.get(key);
    if (event.kind === 'case-started') {
      this.#running.set(key, { ref, case: event.case, turn: 0, judged: new Set() });
    } else if (event.kind === 'case-finished') {
      this.#running.delete(key);
      this.#finished += 1;
    } else if (running && event.kind === 'turn') {
      running.turn = event.turn.number;
    } else if (running && event.kind === 'verdict') {
      running.judged.add(event.verdict.assertion.index);
    }
  }

  /** One line per running case, and one line for the total. */
  lines(width: number): string[] {
    const running = [...this.#running.values()].map((one) => visibleLine(describe(one), width));
    return [...running, visibleLine(`${this.#finished} of ${this.#planned} cases finished`, width)];
  }
}

function describe({ ref, case: suiteCase, turn, judged }: Running): string {
  const { times } = suiteCase.repeat;
  const title = executionTitle({ ...ref, repetitions: times });
  const last = lastTurn(suiteCase);
  if (judged.size === 0 && turn < last) return `… ${title}  turn ${turn + 1}`;
  const next = suiteCase.assertions.find(({ index }) => !judged.has(index));
  return next ? `… ${title}  judging ${next.name}` : `… ${title}  finishing`;
}

/**
 * The number of a case's last turn. A live case takes two turns per user turn, whereas a transcript is complete from
 * the start.
 */
function lastTurn({ origin }: SuiteCase): number {
  if (origin.kind === 'transcript') return 0;
  const before = turnsOf(toConversation(origin.history?.messages ?? [])).length;
  const live = origin.kind === 'turns' ? origin.turns.length : origin.user.maxUserTurns;
  return before + live * 2;
}

const MAX_NAME = 24;
const MAX_CELL = 18;

/**
 * A table of cases × assertions, or a list if the columns don't fit into `width`.
 *
 * @param boxed whether to draw lines around cells
 */
function caseTable(
  lines: readonly CaseSummary[],
  paint: Paint,
  width: number,
  boxed: boolean,
): string {
  const verdicts = lines.map(byColumn);
  const columns = new Map<string, string>();
  for (const own of verdicts) {
    for (const [key, { assertion }] of own) columns.set(key, assertion.name);
  }
  const head = ['Case', ...[...columns.values()].map((name) => visibleLine(name, MAX_NAME))];
  // If each case has its own assertions, laying out thousands of columns would take too long.
  if (layOutTable(head, [], boxed).width > width) return caseList(lines, paint);
  const rows = lines.map((line, index) => {
    const cells = [...columns.keys()].map((key) => {
      const verdict = verdicts[index]?.get(key);
      return verdict ? verdictCell(verdict, paint) : '';
    });
    return [caseCell(line, paint), ...cells];
  });
  const table = layOutTable(head.map(paint.bold), rows, boxed);
  return table.width > width ? caseList(lines, paint) : table.text();
}

/** A case's verdicts by column: by name, and by position among the case's verdicts with that name. */
function byColumn({ verdicts }: CaseSummary): Map<string, VerdictSummary> {
  const names = columnNames(verdicts.map(({ assertion }) => assertion.name));
  const keys = names.map(({ occurrence, name }) => `${occurrence} ${name}`);
  return new Map(verdicts.map((verdict, index) => [keys[index] ?? '', verdict]));
}

function caseCell(line: CaseSummary, paint: Paint): string {
  return `${paint.status(line.status, STATUS_ICONS[line.status])} ${executionTitle(line)}`;
}

function verdictCell(verdict: VerdictSummary, paint: Paint): string {
  const text = `${STATUS_ICONS[verdict.status]} ${visibleLine(verdictText(verdict), MAX_CELL)}`;
  return paint.status(verdict.status, text);
}

function caseList(lines: readonly CaseSummary[], paint: Paint): string {
  const texts = lines.flatMap((line) => [
    caseCell(line, paint),
    ...line.verdicts.map(
      (verdict) => `    ${verdictCell(verdict, paint)}  ${visibleLine(verdict.assertion.name, 60)}`,
    ),
  ]);
  return texts.join('\n');
}

const MAX_NAMES = 5;

/** `The same error ended 497 more cases: b, c, d, e, f and 492 others.` */
function sameErrorText(others: readonly CaseSummary[]): string[] {
  if (others.length === 0) return [];
  const names = others.slice(0, MAX_NAMES).map(executionTitle).join(', ');
  const left = others.length - MAX_NAMES;
  const rest = left > 0 ? ` and ${counted(left, 'other')}` : '';
  return [`The same error ended ${counted(others.length, 'more case')}: ${names}${rest}.`];
}

/** A case's error; undefined if other assertions failed as well. */
function errorOf({ status, reason = '', verdicts }: CaseSummary): string | undefined {
  if (status !== 'error' || verdicts.some((verdict) => verdict.status === 'fail')) return undefined;
  const errors = verdicts.flatMap((one) => (one.status === 'error' ? [one.rationale] : []));
  return JSON.stringify([reason, ...new Set(errors)]);
}
