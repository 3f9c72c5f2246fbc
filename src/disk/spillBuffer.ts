import { randomUUID } from 'node:crypto';
import { openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Maximum characters in memory. */
const MAX_IN_MEMORY = 8_000_000;

/** In bytes. */
interface FileRange {
  readonly offset: number;
  readonly length: number;
}

/** Stores strings in memory, then in an unnamed temporary file, which disappears no matter how this process ends. */
export class SpillBuffer {
  readonly #texts: (string | FileRange)[] = [];
  #inMemory = 0;
  #file: number | undefined;
  #end = 0;

  /** @returns the number to pass to `get` */
  put(text: string): number {
    return this.#texts.push(this.#reserveMemory(text) ? text : this.#writeToFile(text)) - 1;
  }

  /** @throws Error if the disk fails */
  get(number: number): string {
    const text = this.#texts[number] ?? '';
    if (typeof text === 'string') return text;
    const { offset, length } = text;
    const bytes = Buffer.alloc(length);
    let read = 0;
    while (read < length) {
      const more = readSync(this.#file ?? -1, bytes, read, length - read, offset + read);
      if (more === 0) throw new Error('Internal error: text in a temporary file is missing.');
      read += more;
    }
    return bytes.toString();
  }

  #reserveMemory({ length }: string): boolean {
    if (this.#inMemory + length > MAX_IN_MEMORY) return false;
    this.#inMemory += length;
    return true;
  }

  /** If the disk is full, the text stays in memory. */
  #writeToFile(text: string): string | FileRange {
    try {
      this.#file ??= openUnnamedFile();
      const bytes = Buffer.from(text);
      let written = 0;
      while (written < bytes.length) {
        written += writeSync(
          this.#file,
          bytes,
          written,
          bytes.length - written,
          this.#end + written,
        );
      }
      const place = { offset: this.#end, length: bytes.length };
      this.#end += bytes.length;
      return place;
    } catch {
      return text;
    }
  }
}

/** @throws Error if it can't be created */
function openUnnamedFile(): number {
  const path = join(tmpdir(), `turnlight-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}
