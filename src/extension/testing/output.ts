import { type Turn, textOf, turnsOf } from '../../core/conversation.ts';
import { handoffText, speakerText } from '../../core/presentation/agents.ts';
import { verdictText } from '../../core/presentation/verdictText.ts';
import { STATUS_ICONS, STATUS_WORDS, stopText } from '../../core/presentation/words.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { isFailure } from '../../core/scoring.ts';
import { visibleText } from '../../core/text/visibleText.ts';
import type { Status, Verdict } from '../../core/verdict.ts';

const BOLD = '1';
const CYAN = '36';

/** Number of columns in a typical panel. */
const WIDTH = 64;

/** Colors of the terminal's palette, which follows the theme. */
const STATUS_COLORS: Readonly<Record<Status, string>> = {
  pass: '32',
  fail: '31',
  error: '33',
  skipped: '90',
};

const LONG_LINE = new RegExp(`(?!.{1,${WIDTH}}$)(.{1,${WIDTH}}) `, 'gmu');

/** A case's output: a heading with its name and status, then the lines, then an empty line. */
export function caseOutput(name: string, output: readonly string[], status?: Status): string {
  const heading = status ? caseHeading(name, status) : style(BOLD, name);
  return `${heading}${output.join('')}\r\n`;
}

function caseHeading(name: string, status: Status): string {
  return style(`${BOLD};${STATUS_COLORS[status]}`, `${STATUS_ICONS[status]} ${name}`);
}

/** The output for a case that another process ran. */
export function recordedOutput(name: string, line: CaseLine): string {
  const turns = turnsOf(line.conversation).map(turnOutput);
  const verdicts = line.verdicts.map(verdictOutput);
  return caseOutput(name, [...turns, ...verdicts, ...endOutput(line)], line.status);
}

/** Why the conversation ended, and the reason for the case's status, if known. */
export function endOutput(line: CaseLine): string[] {
  const stop = stopText(line);
  return [
    ...(stop === undefined ? [] : [style(BOLD, `Ended: ${stop}`)]),
    ...(line.reason === undefined ? [] : [style(STATUS_COLORS[line.status], line.reason)]),
  ];
}

export function turnOutput(turn: Turn): string {
  const steps = turn.items.flatMap((item) => {
    if (item.kind === 'handoff') return [`  ⇒ ${handoffText(item)}`];
    if (item.kind !== 'tool-call') return [];
    return [`  → ${item.call.name} ${JSON.stringify(item.call.arguments)}`];
  });
  const name = style(CYAN, `Turn ${turn.number}, ${speakerText(turn)}`);
  return `${name}${terminalText(wrapped([textOf(turn), ...steps].join('\n')))}`;
}

export function verdictOutput(verdict: Verdict): string {
  const { assertion, status, rationale } = verdict;
  const word = STATUS_WORDS[status];
  const outcome = verdictText(verdict);
  const more = outcome === word ? '' : `: ${outcome}`;
  const text = `${STATUS_ICONS[status]} ${assertion.name} ${word}${more}`;
  const reason = isFailure(verdict) && rationale !== '' ? terminalText(wrapped(rationale)) : '';
  return `${style(STATUS_COLORS[status], text)}${reason}`;
}

/** Breaks lines between words; the panel's terminal would break them anywhere. */
function wrapped(text: string): string {
  return text.replaceAll(LONG_LINE, '$1\n');
}

/** Styles a line. Escape sequences in the text are made visible. */
function style(style: string, text: string): string {
  return `\u001b[${style}m${terminalText(wrapped(text)).trimEnd()}\u001b[0m\r\n`;
}

const LINE_END = '\r\n';

/** The output for the only case in a run, shown line by line as it arrives. */
export class LiveOutput {
  readonly #name: string;
  readonly #append: (text: string) => void;
  /** The part of the incomplete turn that is already shown. */
  #shown = '';

  /** @param output the case's output so far */
  constructor(name: string, output: readonly string[], append: (text: string) => void) {
    this.#name = name;
    this.#append = append;
    append(caseOutput(name, output).slice(0, -LINE_END.length));
  }

  /** Shows all lines except the last one, whose line break may still change. */
  speaking(turn: Turn): void {
    const lines = turnOutput(turn).split(LINE_END).slice(0, -2);
    const whole = lines.map((line) => line + LINE_END).join('');
    if (!whole.startsWith(this.#shown)) return;
    this.#append(whole.slice(this.#shown.length));
    this.#shown = whole;
  }

  turn(turn: Turn): void {
    const output = turnOutput(turn);
    this.append(output.startsWith(this.#shown) ? output.slice(this.#shown.length) : output);
    this.#shown = '';
  }

  append(text: string): void {
    this.#append(text);
  }

  end(status: Status | undefined): void {
    this.#append(`${status ? caseHeading(this.#name, status) : ''}${LINE_END}`);
  }
}

/** Converts text to terminal lines and makes control characters visible. */
export function terminalText(text: string): string {
  return `${visibleText(text).replaceAll('\n', '\r\n')}\r\n`;
}
