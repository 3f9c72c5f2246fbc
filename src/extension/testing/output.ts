import { type Turn, textOf, turnsOf } from '../../core/conversation.ts';
import { verdictText } from '../../core/presentation/verdictText.ts';
import { STATUS_ICONS, STATUS_WORDS, stopText } from '../../core/presentation/words.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { isFailure, type Status, type Verdict } from '../../core/verdict.ts';
import { terminalText } from './terminalText.ts';

const BOLD = '1';
const CYAN = '36';

/** Columns that a panel of usual size has. */
const WIDTH = 64;

/** Of the terminal's own palette, which follows the theme. */
const STATUS_COLORS: Readonly<Record<Status, string>> = {
  pass: '32',
  fail: '31',
  error: '33',
  skipped: '90',
};

const LONG_LINE = new RegExp(`(?!.{1,${WIDTH}}$)(.{1,${WIDTH}}) `, 'gmu');

/** What was said of a case, under its name and how it ended, with a blank line before the next case. */
export function caseOutput(name: string, said: readonly string[], status?: Status): string {
  const heading = status ? caseEnd(name, status) : styled(BOLD, name);
  return `${heading}${said.join('')}\r\n`;
}

/** How a case ended. */
export function caseEnd(name: string, status: Status): string {
  return styled(`${BOLD};${STATUS_COLORS[status]}`, `${STATUS_ICONS[status]} ${name}`);
}

/** The same of a case that another process ran. */
export function recordedOutput(name: string, line: CaseLine): string {
  const turns = turnsOf(line.conversation).map(turnOutput);
  const verdicts = line.verdicts.map(verdictOutput);
  return caseOutput(name, [...turns, ...verdicts, ...endOutput(line)], line.status);
}

/** Why the conversation ended, and what kept the case from its outcome, where there is a reason. */
export function endOutput(line: CaseLine): string[] {
  const stop = stopText(line);
  return [
    ...(stop === undefined ? [] : [styled(BOLD, `Ended: ${stop}`)]),
    ...(line.reason === undefined ? [] : [styled(STATUS_COLORS[line.status], line.reason)]),
  ];
}

/** A turn for the run's output, as a terminal takes it. */
export function turnOutput(turn: Turn): string {
  const calls = turn.items.flatMap((item) =>
    item.kind === 'tool-call'
      ? [`  → ${item.call.name} ${JSON.stringify(item.call.arguments)}`]
      : [],
  );
  const name = styled(CYAN, `Turn ${turn.number}, ${turn.side}`);
  return `${name}${terminalText(wrapped([textOf(turn), ...calls].join('\n')))}`;
}

export function verdictOutput(verdict: Verdict): string {
  const { assertion, status, rationale } = verdict;
  const word = STATUS_WORDS[status];
  const outcome = verdictText(verdict);
  const more = outcome === word ? '' : `: ${outcome}`;
  const head = styled(
    STATUS_COLORS[status],
    `${STATUS_ICONS[status]} ${assertion.name} ${word}${more}`,
  );
  return isFailure(verdict) && rationale !== ''
    ? `${head}${terminalText(wrapped(rationale))}`
    : head;
}

/** Lines of whole words: the panel's terminal would break them anywhere. */
function wrapped(text: string): string {
  return text.replaceAll(LONG_LINE, '$1\n');
}

/** A line in a style. The text itself cannot style anything: its escapes are shown. */
function styled(style: string, text: string): string {
  return `\u001b[${style}m${terminalText(wrapped(text)).trimEnd()}\u001b[0m\r\n`;
}

const LINE_END = '\r\n';

/** The output of the only case that runs: shown as it comes, replies line by line. */
export class LiveOutput {
  readonly #name: string;
  readonly #append: (text: string) => void;
  /** What of the turn that is being said is shown already. */
  #shown = '';

  /** @param said of the case up to now */
  constructor(name: string, said: readonly string[], append: (text: string) => void) {
    this.#name = name;
    this.#append = append;
    append(caseOutput(name, said).slice(0, -LINE_END.length));
  }

  /** The last line may still change where it breaks, so it is left for later. */
  speaking(turn: Turn): void {
    const output = turnOutput(turn);
    const whole = output.slice(
      0,
      output.lastIndexOf(LINE_END, -LINE_END.length - 1 + output.length) + LINE_END.length,
    );
    if (!whole.startsWith(this.#shown)) return;
    this.#append(whole.slice(this.#shown.length));
    this.#shown = whole;
  }

  turn(turn: Turn): void {
    const output = turnOutput(turn);
    this.say(output.startsWith(this.#shown) ? output.slice(this.#shown.length) : output);
    this.#shown = '';
  }

  say(text: string): void {
    this.#append(text);
  }

  end(status: Status | undefined): void {
    this.#append(`${status ? caseEnd(this.#name, status) : ''}${LINE_END}`);
  }
}
