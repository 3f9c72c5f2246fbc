import type { Stats } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import { mappingOf } from '../core/data/data.ts';
import { LIMITS } from '../core/limits.ts';
import { openRegular } from '../disk/regularFile.ts';
import { type Line, linesOf } from './recordLines.ts';

/** Whoever reads a record as it grows. */
export interface RecordListener {
  /** The record was written anew: what was told before counts no more. Told before the first line, too. */
  anew(): void;
  /** A whole line that is JSON, or not. */
  line(line: Line): void;
}

/** Bytes before the end of what was read that tell whether it is still there. */
const SAMPLE = 1_000;

/** Reads on in a record: what was read before is not read again. */
export class RecordFollower {
  readonly #path: string;
  /** Of the file as it was read last. */
  #stamp = '';
  #inode = 0;
  /** Bytes that were read to the end of a line. */
  #read = 0;
  #sample = '';
  #unreadable = 0;

  /** @param path absolute */
  constructor(path: string) {
    this.#path = path;
  }

  /** Tells the lines that are new. @returns false where there is no such record */
  async readOn(listener: RecordListener): Promise<boolean> {
    const found = await lstat(this.#path).catch(() => undefined);
    if (!found?.isFile()) return false;
    if (this.#stamp === stampOf(found)) return true;
    const file = await openRegular(this.#path).catch(() => undefined);
    if (!file) return false;
    try {
      if (!(await this.#goesOnIn(file, found))) {
        this.#read = 0;
        this.#unreadable = 0;
        listener.anew();
      }
      await this.#readTo(Math.min(found.size, LIMITS.record), file, listener);
      this.#inode = found.ino;
      this.#sample = await this.#sampleOf(file);
      this.#stamp = stampOf(found);
      return true;
    } finally {
      await file.close();
    }
  }

  async #goesOnIn(file: FileHandle, { ino, size }: Stats): Promise<boolean> {
    if (ino !== this.#inode || size < this.#read) return false;
    return this.#sample === (await this.#sampleOf(file));
  }

  async #readTo(end: number, file: FileHandle, listener: RecordListener): Promise<void> {
    for await (const lines of linesOf(file, this.#read, end)) {
      for (const line of lines) if (this.#unreadable <= LIMITS.problems) this.#tell(line, listener);
      if (this.#unreadable > LIMITS.problems) break;
    }
  }

  #tell(line: Line, listener: RecordListener): void {
    // More of the last line may come.
    if (line.value === undefined && !line.isWhole) return;
    this.#read = line.offset + line.length;
    if (mappingOf(line.value).kind === undefined) this.#unreadable += 1;
    listener.line(line);
  }

  #sampleOf(file: FileHandle): Promise<string> {
    const length = Math.min(SAMPLE, this.#read);
    return textAt(file, this.#read - length, length);
  }
}

function stampOf({ ino, mtimeMs, size }: Stats): string {
  return `${ino} ${mtimeMs} ${size}`;
}

async function textAt(file: FileHandle, offset: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
  return buffer.subarray(0, bytesRead).toString('latin1');
}
