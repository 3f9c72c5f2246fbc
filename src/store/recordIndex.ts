import type { Stats } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import type * as z from 'zod';
import { addTo, mappingOf } from '../core/data/data.ts';
import { fitting } from '../core/data/listOf.ts';
import { caseKey } from '../core/identity.ts';
import { LIMITS } from '../core/limits.ts';
import { BROKEN, shortHash } from '../core/record/inputHash.ts';
import { absolutePath, mapCasePaths } from '../core/record/recordPaths.ts';
import {
  type CaseLine,
  caseLineSchema,
  type EndLine,
  endLineSchema,
} from '../core/record/runRecord.ts';
import { openRegular } from '../disk/regularFile.ts';
import { rootOfRecord } from './read.ts';
import { type Line, linesOf } from './recordLines.ts';

const glanceSchema = caseLineSchema.pick({
  suite: true,
  id: true,
  variant: true,
  repetition: true,
  status: true,
  finished: true,
  source: true,
  input_hash: true,
  fault: true,
});

type Glance = z.infer<typeof glanceSchema>;

/** A case that finished, and where its line stands in its record. */
export interface Entry
  extends Pick<Glance, 'id' | 'variant' | 'repetition' | 'status' | 'finished'> {
  /** In bytes. */
  readonly offset: number;
  readonly length: number;
}

export interface VariantEntry extends Entry {
  readonly variant: string;
  /** Of its case's text, SHA-256. */
  readonly hash: string;
  /** Of what it was made from, as `shortHash` has it. */
  readonly input?: string;
}

/** What a record holds; its lines are read when they are asked for. */
export interface RecordIndex {
  /** In their order. Another list once the record was written anew. */
  readonly entries: readonly Entry[];
  /** By suite, id and variant. */
  readonly cases: ReadonlyMap<string, readonly Entry[]>;
  /** Of cases that stand for several conversations, by suite and id. */
  readonly variants: ReadonlyMap<string, readonly VariantEntry[]>;
  readonly end?: EndLine;
}

/** Keeps an index in step with its record: what was read before is not read again. */
export class RecordReader {
  readonly #path: string;
  readonly #root: string;
  #state: State | undefined;
  #reading: Promise<RecordIndex> | undefined;

  /** @param path absolute */
  constructor(path: string) {
    this.#path = path;
    this.#root = rootOfRecord(path);
  }

  /** Empty where there is no such record. */
  index(): Promise<RecordIndex> {
    this.#reading ??= this.#update().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Of each entry its line, unless it is not one of a case, or not there any more. */
  async lines(entries: readonly Entry[]): Promise<Map<Entry, CaseLine>> {
    const lines = new Map<Entry, CaseLine>();
    const file = entries.length > 0 && (await openRegular(this.#path).catch(() => undefined));
    if (!file) return lines;
    const absolute = (recorded: string) => absolutePath(this.#root, recorded);
    try {
      for (const entry of entries) {
        const line = fitting(caseLineSchema, await valueAt(file, entry));
        if (line) lines.set(entry, mapCasePaths(line, absolute));
      }
    } finally {
      await file.close();
    }
    return lines;
  }

  async #update(): Promise<RecordIndex> {
    const found = await lstat(this.#path).catch(() => undefined);
    if (!found?.isFile()) return new State();
    if (this.#state?.stamp === stampOf(found)) return this.#state;
    const file = await openRegular(this.#path).catch(() => undefined);
    if (!file) return new State();
    try {
      const goesOn = await this.#state?.goesOnIn(file, found);
      const state = (goesOn && this.#state) || new State();
      await state.read(file, found, this.#root);
      this.#state = state;
      return state;
    } finally {
      await file.close();
    }
  }
}

/** Bytes before the end of what was read that tell whether it is still there. */
const SAMPLE = 1_000;

class State implements RecordIndex {
  readonly entries: Entry[] = [];
  readonly cases = new Map<string, Entry[]>();
  readonly variants = new Map<string, VariantEntry[]>();
  end?: EndLine;
  /** Of the file as it was read last. */
  stamp = '';
  #inode = 0;
  /** Bytes that were read to the end of a line. */
  #read = 0;
  #sample = '';
  #unreadable = 0;

  async goesOnIn(file: FileHandle, { ino, size }: Stats): Promise<boolean> {
    if (ino !== this.#inode || size < this.#read) return false;
    return this.#sample === (await this.#sampleOf(file));
  }

  async read(file: FileHandle, found: Stats, root: string): Promise<void> {
    for await (const lines of linesOf(file, this.#read, Math.min(found.size, LIMITS.record))) {
      for (const line of lines) if (this.#unreadable <= LIMITS.problems) this.#add(line, root);
      if (this.#unreadable > LIMITS.problems) break;
    }
    this.#inode = found.ino;
    this.stamp = stampOf(found);
    this.#sample = await this.#sampleOf(file);
  }

  #add({ value, offset, length, isWhole }: Line, root: string): void {
    // More of the last line may come.
    if (value === undefined && !isWhole) return;
    this.#read = offset + length;
    const { kind } = mappingOf(value);
    if (kind === undefined) this.#unreadable += 1;
    if (kind === 'case') this.#addCase(value, root, { offset, length });
    if (kind !== 'end') return;
    const end = fitting(endLineSchema, value);
    if (end) this.end = end;
  }

  #addCase(given: unknown, root: string, place: Pick<Entry, 'offset' | 'length'>): void {
    const glance = fitting(glanceSchema, given);
    if (!glance || this.entries.length === LIMITS.recordCases) return;
    const { id, variant, repetition, status, finished, source } = glance;
    const suite = absolutePath(root, glance.suite);
    const entry: Entry = { id, repetition, status, finished, ...place };
    if (variant === undefined) {
      this.entries.push(entry);
      addTo(this.cases, caseKey({ suite, id }), entry);
      return;
    }
    const known = this.variants.get(caseKey({ suite, id }))?.at(-1)?.hash;
    // Thousands of variants have the text of one case.
    const hash = known === source.hash ? known : source.hash;
    const own: VariantEntry = {
      ...entry,
      variant,
      hash,
      ...inputOf(glance),
    };
    this.entries.push(own);
    addTo(this.cases, caseKey({ suite, id, variant }), own);
    addTo(this.variants, caseKey({ suite, id }), own);
  }

  #sampleOf(file: FileHandle): Promise<string> {
    const length = Math.min(SAMPLE, this.#read);
    return textAt(file, this.#read - length, length).then((text) => text.toString('latin1'));
  }
}

function inputOf({ input_hash, fault }: Glance): Pick<VariantEntry, 'input'> {
  if (fault) return { input: BROKEN };
  return input_hash === undefined ? {} : { input: shortHash(input_hash) };
}

function stampOf({ ino, mtimeMs, size }: Stats): string {
  return `${ino} ${mtimeMs} ${size}`;
}

async function valueAt(file: FileHandle, { offset, length }: Entry): Promise<unknown> {
  for await (const [line] of linesOf(file, offset, offset + length)) if (line) return line.value;
  return undefined;
}

async function textAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
  return buffer.subarray(0, bytesRead);
}
