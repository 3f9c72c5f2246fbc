import type { FileHandle } from 'node:fs/promises';
import type * as z from 'zod';
import { addTo, mappingOf } from '../core/data/data.ts';
import { fitting } from '../core/data/listOf.ts';
import { caseKey } from '../core/identity.ts';
import { LIMITS } from '../core/limits.ts';
import { oneAtATime } from '../core/oneAtATime.ts';
import { BROKEN, shortHash } from '../core/record/inputHash.ts';
import { absolutePath, mapCasePaths, rootOfRecord } from '../core/record/recordPaths.ts';
import type { RepeatedLine } from '../core/record/repetitions.ts';
import {
  type CaseLine,
  caseLineSchema,
  type EndLine,
  endLineSchema,
} from '../core/record/runRecord.ts';
import { openRegular } from '../disk/regularFile.ts';
import type { LinePlace } from './append.ts';
import { gateListSchema, gatesOf } from './caseGlance.ts';
import { RecordFollower } from './recordFollower.ts';
import { type Line, linesOf } from './recordLines.ts';

const glanceSchema = caseLineSchema
  .pick({
    suite: true,
    id: true,
    variant: true,
    repetition: true,
    status: true,
    score: true,
    must_pass: true,
    finished: true,
    source: true,
    input_hash: true,
    fault: true,
    usage: true,
  })
  .extend({ verdicts: gateListSchema });

type Glance = z.infer<typeof glanceSchema>;

/** A case that finished, and where its line stands in its record. */
export interface Entry extends LinePlace, RepeatedLine, Pick<Glance, 'repetition' | 'finished'> {
  /** The eval file, absolute. */
  readonly suite: string;
  /** The file that its text stands in, absolute: the eval file or one that is included. */
  readonly file: string;
  /** From 0. */
  readonly line: number;
  readonly cost: number | null;
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
  readonly #follower: RecordFollower;
  #state = new State();

  /**
   * @param path absolute
   * @param root the folder that its paths start from; the one that it stands in by default
   */
  constructor(path: string, root = rootOfRecord(path)) {
    this.#path = path;
    this.#root = root;
    this.#follower = new RecordFollower(path);
  }

  /** Empty where there is no such record. */
  readonly index = oneAtATime(() => this.#update());

  /** The line at a place, unless it is not one of a case, or not there any more. */
  async lineAt(place: LinePlace): Promise<CaseLine | undefined> {
    return (await this.lines([place])).get(place);
  }

  /** The same of several. */
  async lines<Place extends LinePlace>(entries: readonly Place[]): Promise<Map<Place, CaseLine>> {
    const lines = new Map<Place, CaseLine>();
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
    const isThere = await this.#follower.readOn({
      anew: () => {
        this.#state = new State();
      },
      line: (line) => this.#state.add(line, this.#root),
    });
    return isThere ? this.#state : new State();
  }
}

class State implements RecordIndex {
  readonly entries: Entry[] = [];
  readonly cases = new Map<string, Entry[]>();
  readonly variants = new Map<string, VariantEntry[]>();
  end?: EndLine;

  add({ value, offset, length }: Line, root: string): void {
    const { kind } = mappingOf(value);
    if (kind === 'case') this.#addCase(value, root, { offset, length });
    if (kind !== 'end') return;
    const end = fitting(endLineSchema, value);
    if (end) this.end = end;
  }

  #addCase(given: unknown, root: string, place: LinePlace): void {
    const glance = fitting(glanceSchema, given);
    if (!glance || this.entries.length === LIMITS.recordCases) return;
    const { id, variant, repetition, status, score, must_pass, finished, source, usage } = glance;
    const last = this.entries.at(-1)?.suite;
    const read = absolutePath(root, glance.suite);
    // Thousands of cases have one suite.
    const suite = read === last ? last : read;
    const file = source.path === glance.suite ? suite : absolutePath(root, source.path);
    const entry: Entry = {
      ...{ suite, id, variant, repetition, status, score, must_pass, finished, file },
      verdicts: gatesOf(glance.verdicts),
      line: source.range.start.line,
      cost: usage.cost,
      ...place,
    };
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
}

function inputOf({ input_hash, fault }: Glance): Pick<VariantEntry, 'input'> {
  if (fault) return { input: BROKEN };
  return input_hash === undefined ? {} : { input: shortHash(input_hash) };
}

async function valueAt(file: FileHandle, { offset, length }: LinePlace): Promise<unknown> {
  for await (const [line] of linesOf(file, offset, offset + length)) if (line) return line.value;
  return undefined;
}
