/** A line longer than this is cut, so that an endless one cannot fill the memory. */
const MAX_LINE = 10_000;

const TAIL = 5;

/** Cuts a stream of bytes into lines and remembers the last ones. */
export class Lines {
  readonly #onLine: (line: string) => void;
  readonly #last: string[] = [];
  readonly #decoder = new TextDecoder();
  #rest = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  add(data: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(data, { stream: true })).split(/\r?\n/);
    this.#rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) this.#say(line);
  }

  #say(line: string): void {
    const cut = line.slice(0, MAX_LINE);
    this.#last.push(cut);
    if (this.#last.length > TAIL) this.#last.shift();
    this.#onLine(cut);
  }

  /** ` Its last words: …`, for an error message; empty where nothing was printed. */
  tail(): string {
    const lines = [...this.#last, this.#rest].filter((line) => line.trim() !== '');
    return lines.length === 0 ? '' : ` Its last words: ${lines.slice(-TAIL).join(' / ')}`;
  }
}
