import type { Scrubber } from '../../core/scrubber.ts';
import { tooLongText } from '../replyLimits.ts';
import { TargetError } from '../target.ts';

/** Maximum number of characters. Longer lines are truncated, so that an endless line can't fill up the memory. */
const MAX_LINE = 10_000;

/** Maximum number of characters to log per program; further output is ignored. */
const MAX_LOGGED = 1_000_000;

/** Number of characters to add to the length of each line, so that a flood of empty lines also counts. */
const PER_LINE = 100;

const TAIL_LINES = 5;

const NEW_LINE = 0x0a;

/** Splits a program's log output into lines, and remembers the last ones. */
export class ProgramLog {
  readonly #onLine: (line: string) => void;
  readonly #scrubber: Scrubber;
  readonly #decoder = new TextDecoder();
  /** Keeps one more character than is shown, in order to detect truncation. */
  #rest = '';
  #last: readonly string[] = [];
  #logged = 0;
  /** The latest output that wasn't logged. */
  #unlogged: Uint8Array | undefined;

  constructor(onLine: (line: string) => void, scrubber: Scrubber) {
    this.#onLine = onLine;
    this.#scrubber = scrubber;
  }

  add(data: Uint8Array): void {
    if (this.#logged > MAX_LOGGED) this.#unlogged = data;
    else for (const line of this.#cut(data)) this.write(line);
  }

  write(line: string): void {
    if (this.#logged > MAX_LOGGED) return;
    this.#onLine(line);
    this.#logged += line.length + PER_LINE;
    if (this.#logged > MAX_LOGGED) this.#onLine('Too much output; the rest is omitted.');
  }

  /** Text for an error message: ` Last output: …`; empty if nothing was printed. */
  tail(): string {
    // The first line may be incomplete, and may contain part of a secret.
    const start = (this.#unlogged?.indexOf(NEW_LINE) ?? -1) + 1;
    if (this.#unlogged) this.#rest = '';
    if (this.#unlogged && start > 0) this.#cut(this.#unlogged.subarray(start));
    const lines = [...this.#last, this.#truncated(this.#rest)].filter((line) => line.trim() !== '');
    return lines.length === 0 ? '' : ` Last output: ${lines.slice(-TAIL_LINES).join(' / ')}`;
  }

  #cut(data: Uint8Array): string[] {
    const pieces = (this.#rest + this.#decoder.decode(data, { stream: true })).split(/\r?\n/);
    this.#rest = (pieces.pop() ?? '').slice(0, MAX_LINE + 1);
    const lines = pieces.map((line) => this.#truncated(line));
    this.#last = [...this.#last, ...lines].slice(-TAIL_LINES);
    return lines;
  }

  /** Hides secrets in a truncated line, because part of a secret couldn't be recognized later. */
  #truncated(line: string): string {
    if (line.length <= MAX_LINE) return line;
    return this.#scrubber.beginning(line.slice(0, MAX_LINE)).slice(0, MAX_LINE);
  }
}

/** Splits standard output into lines, each of which is a reply. */
export class ReplyLines {
  readonly #onLine: (line: string) => void;
  readonly #isOneConversation: boolean;
  readonly #decoder = new TextDecoder();
  #pieces: string[] = [];
  #length = 0;
  #all = 0;

  /** @param isOneConversation whether the limit on all of a conversation's replies applies to all lines together */
  constructor(onLine: (line: string) => void, isOneConversation = true) {
    this.#isOneConversation = isOneConversation;
    this.#onLine = onLine;
  }

  /** @returns why the output is too long; undefined if it isn't too long */
  add(data: Uint8Array): string | undefined {
    const text = this.#decoder.decode(data, { stream: true });
    const [first = '', ...others] = text.split('\n');
    let fault = this.#grow(first);
    for (const other of others) {
      if (fault !== undefined) break;
      const line = this.#pieces.join('');
      this.#pieces = [];
      this.#length = 0;
      if (line.trim() !== '') this.#onLine(line);
      fault = this.#grow(other);
    }
    return fault;
  }

  #grow(piece: string): string | undefined {
    this.#pieces.push(piece);
    this.#length += piece.length;
    this.#all += piece.length + 1;
    return tooLongText(this.#length, this.#isOneConversation ? this.#all : 0);
  }
}

/** How a program ended, for errors. */
export function exitText(code: number | null, signal: NodeJS.Signals | null): string {
  return signal ? `was ended by ${signal}` : `exited with code ${code}`;
}

export function notStartedError(program: string, { message }: Error): TargetError {
  return new TargetError(
    'target-not-found',
    `The program ${program} could not be started: ${message}. Is it installed and on the PATH?`,
  );
}
