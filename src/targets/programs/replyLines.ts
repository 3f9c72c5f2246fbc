import { tooLong } from '../replyLimits.ts';

/** Cuts what a program prints on standard output into lines, each the reply to a request. */
export class ReplyLines {
  readonly #onLine: (line: string) => void;
  readonly #isOneConversation: boolean;
  readonly #decoder = new TextDecoder();
  #pieces: string[] = [];
  #length = 0;
  #all = 0;

  /** @param isOneConversation whether the lines together are limited as the replies of one */
  constructor(onLine: (line: string) => void, isOneConversation = true) {
    this.#isOneConversation = isOneConversation;
    this.#onLine = onLine;
  }

  /** @returns why no more is to be read; undefined while all is well */
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
    return tooLong(this.#length, this.#isOneConversation ? this.#all : 0);
  }
}
