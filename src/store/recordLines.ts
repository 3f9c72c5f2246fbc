import type { FileHandle } from 'node:fs/promises';
import { LIMITS } from '../core/limits.ts';

/** A line of a record, without its line break. */
export interface Line {
  /** From 1, counted from where the reading began. */
  readonly number: number;
  /** In bytes. */
  readonly offset: number;
  readonly length: number;
  /** Absent if the line exceeds the limit. */
  readonly text?: string;
  /** False of a last line without a line break: more of it may come. */
  readonly isWhole: boolean;
}

/** Bytes that are read at once; others have their turn between two slices. */
const SLICE = 100_000;

/**
 * The lines of a file that hold something, from an offset on, in slices. No more than a slice and a
 * line are in memory.
 */
export async function* linesOf(
  file: FileHandle,
  from: number,
  to: number,
): AsyncGenerator<readonly Line[]> {
  let offset = from;
  let open = new OpenLine(1, from);
  while (offset < to) {
    const wanted = Math.min(SLICE, to - offset);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(wanted), 0, wanted, offset);
    if (bytesRead === 0) break;
    const slice = buffer.subarray(0, bytesRead);
    const lines: Line[] = [];
    let at = 0;
    for (let end = slice.indexOf('\n'); end >= 0; end = slice.indexOf('\n', at)) {
      open.add(slice.subarray(at, end));
      if (open.length > 0) lines.push(open.line(true));
      at = end + 1;
      open = new OpenLine(open.number + 1, offset + at);
    }
    open.add(slice.subarray(at));
    offset += bytesRead;
    yield lines;
  }
  if (open.length > 0) yield [open.line(false)];
}

/** A line of which slices are still read. */
class OpenLine {
  readonly number: number;
  readonly #offset: number;
  #pieces: Buffer[] = [];
  length = 0;

  constructor(number: number, offset: number) {
    this.number = number;
    this.#offset = offset;
  }

  add(piece: Buffer): void {
    this.length += piece.length;
    if (this.length <= LIMITS.recordLine) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  line(isWhole: boolean): Line {
    const text = this.length <= LIMITS.recordLine && Buffer.concat(this.#pieces).toString();
    const { number, length } = this;
    return { number, offset: this.#offset, length, isWhole, ...(text && { text }) };
  }
}
