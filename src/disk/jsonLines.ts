import type { Stats } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { JsonShape, shallowJson } from '../core/data/data.ts';
import { LIMITS } from '../core/limits.ts';
import { toUnwritableError } from './fileErrors.ts';
import { openRegular } from './regularFile.ts';

/** A line of JSON, without its line break. */
export interface JsonLine {
  /** From 1. */
  readonly number: number;
  /** Offset in the file, in bytes. */
  readonly offset: number;
  readonly length: number;
  /** Undefined if the line isn't JSON, or is nested too deeply. */
  readonly value: unknown;
  /** Approximate number of mapping keys and list entries; 0 if the line isn't parsed. */
  readonly values: number;
  /** Whether the line exceeds a limit and therefore isn't parsed. */
  readonly isTooLarge: boolean;
  /** False for a last line without a line break, which may still be incomplete. */
  readonly isComplete: boolean;
}

const LINE_FEED = 10;

/** Bytes per read; other work can run in between. */
const SLICE_BYTES = 100_000;

/**
 * Reads the nonempty lines, with at most one slice and one line in memory.
 *
 * @param first the number of the line at `from`
 */
export async function* readLines(
  file: FileHandle,
  from: number,
  to: number,
  first = 1,
): AsyncGenerator<readonly JsonLine[]> {
  let offset = from;
  let number = first;
  let open: PartialLine | undefined;
  while (offset < to) {
    const wanted = Math.min(SLICE_BYTES, to - offset);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(wanted), 0, wanted, offset);
    if (bytesRead === 0) break;
    const slice = buffer.subarray(0, bytesRead);
    const lines: JsonLine[] = [];
    let at = 0;
    while (at < bytesRead) {
      // Skips runs of empty lines at once, because there may be millions.
      const isEmpty = !open && slice[at] === LINE_FEED;
      const end = isEmpty ? at : slice.indexOf(LINE_FEED, at);
      if (end < 0) break;
      if (!isEmpty) {
        open ??= new PartialLine(number, offset + at);
        open.add(slice.subarray(at, end));
        lines.push(open.line(true));
        open = undefined;
      }
      at = end + 1;
      number += 1;
    }
    if (at < bytesRead) {
      open ??= new PartialLine(number, offset + at);
      open.add(slice.subarray(at));
    }
    offset += bytesRead;
    yield lines;
  }
  if (open) yield [open.line(false)];
}

/** Reads the nonempty lines of a regular file from its start, one by one. @throws as `openRegular` */
export async function* readFileLines(path: string, to: number): AsyncGenerator<JsonLine> {
  const file = await openRegular(path);
  try {
    for await (const lines of readLines(file, 0, to)) yield* lines;
  } finally {
    await file.close();
  }
}

/** A line whose end hasn't been read yet. */
class PartialLine {
  readonly #number: number;
  readonly #offset: number;
  readonly #shape = new JsonShape();
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(number: number, offset: number) {
    this.#number = number;
    this.#offset = offset;
  }

  add(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#isReadable()) this.#shape.add(piece);
    if (this.#isReadable()) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  line(isComplete: boolean): JsonLine {
    return {
      number: this.#number,
      offset: this.#offset,
      length: this.#length,
      value: this.#isReadable() ? shallowJson(Buffer.concat(this.#pieces).toString()) : undefined,
      values: this.#isReadable() ? this.#shape.values : 0,
      isTooLarge: this.#isTooLarge(),
      isComplete,
    };
  }

  #isReadable(): boolean {
    return !this.#shape.isTooDeep && !this.#isTooLarge();
  }

  #isTooLarge(): boolean {
    return this.#length > LIMITS.recordLine || this.#shape.values > LIMITS.values;
  }
}

/**
 * Replaces a file atomically, so that readers see all of the change or none of it.
 * @param what the file's name in messages
 * @param before the file's state when the lines were read
 * @returns false if the file has changed since
 * @throws UnwritableError
 */
export async function replaceLines(
  what: string,
  path: string,
  before: Stats,
  lines: readonly string[],
): Promise<boolean> {
  const temporary = `${path}.${process.pid}.new`;
  try {
    const file = await open(temporary, 'wx', before.mode);
    try {
      await file.writeFile(lines.join('\n'));
      await file.sync();
    } finally {
      await file.close();
    }
    const now = await stat(path);
    if (now.size !== before.size || now.mtimeMs !== before.mtimeMs) return false;
    await rename(temporary, path);
    return true;
  } catch (error) {
    throw toUnwritableError(what, temporary, error);
  } finally {
    await rm(temporary, { force: true });
  }
}
