import type { Mapping, Path } from '../core/data/data.ts';
import { LIMITS, readable } from '../core/limits.ts';
import { Scrubber } from '../core/scrubber.ts';
import { Comparisons } from './exchanges.ts';
import type { Feedback } from './feedback.ts';

/** A line in the file, or an item in its list. */
export interface ImportRow {
  /** From 1. */
  readonly line: number;
  readonly value: unknown;
  /** Returns the line of one of the row's values, if known. */
  readonly lineOf?: (path: Path) => number;
}

/** A line, or a whole document. */
export interface ImportDocument extends ImportRow {
  /** Returns the line of an item, if the document is a list of rows. */
  readonly itemLine?: (index: number) => number;
}

/** A case from another tool's file. */
export interface DraftCase {
  readonly line: number;
  /** The case's id, or words to make an id from. */
  readonly name?: string | undefined;
  /** Words to make an id from if it has no name. */
  readonly opening?: string | undefined;
  /** The case's keys other than `id` and `assert`; undefined values are omitted. */
  readonly keys: Mapping;
  readonly assert: readonly unknown[];
  /** Assertions to suggest in comments. */
  readonly suggestions: readonly unknown[];
  readonly feedback?: readonly Feedback[];
  /** The task that the conversation is a trial of. Trials of the same task become one case. */
  readonly task?: string | undefined;
  /** The trial's name, such as `trial-2`. */
  readonly trial?: string | undefined;
  /** The case's conversations, if it has several. */
  readonly trials?: readonly Trial[];
}

/** One of the conversations of a case. */
export interface Trial {
  readonly name: string;
  /** Its line in a data set. */
  readonly line: Mapping;
  readonly feedback: readonly Feedback[];
}

export interface Draft {
  /** The top-level keys other than `cases`. */
  readonly head?: Mapping;
  readonly comments?: readonly string[];
  readonly cases: readonly DraftCase[];
  /** The variants or versions of the format that the file uses, such as `OpenInference`. */
  readonly versions?: readonly string[];
  /** What wrote the file, such as `Pydantic AI (pydantic-ai 2.68.0)`. */
  readonly producers?: readonly string[];
}

/** A supported format. It consists of a file in `importers` and a line in the list of importers. */
export interface Importer {
  /** The name to display, such as `DeepEval`. */
  readonly name: string;
  /** A description of the files and contents that it reads. */
  readonly takes: string;
  /** The tag that its cases get. */
  readonly tag: string;
  /** Whether a row is in this format, even if it is broken. */
  matches(value: unknown): boolean;
  /** Reads the rows. Records everything that is left out in the ledger. */
  read(rows: readonly ImportRow[], ledger: Ledger): Draft;
}

export interface Entry {
  /** Line of the imported file, from 1. */
  readonly line: number;
  readonly message: string;
  /** True if something couldn't be read; false if it has no counterpart in an eval file. */
  readonly broken: boolean;
}

/** Something that isn't part of any conversation, with no place in particular. */
interface Skipped {
  /** In the plural, such as `spans`. */
  readonly what: string;
  readonly why: string;
  readonly count: number;
}

/** Reports something that was lost. */
export type Say = (message: string) => void;

/** Records what was left out of the eval file, and why. */
export class Ledger {
  readonly #scrubber: Scrubber;
  readonly #entries = new Map<string, Entry>();
  readonly #skipped = new Map<string, Skipped>();
  #isUnlistedBroken = false;
  #unlisted = 0;
  #end: Entry | undefined;

  readonly comparisons: Comparisons;

  /** @param scrubber hides secrets in messages @param comparisons shared with other ledgers */
  constructor(scrubber = new Scrubber(), comparisons = new Comparisons()) {
    this.#scrubber = scrubber;
    this.comparisons = comparisons;
  }

  broken(line: number, message: string): void {
    this.#add({ line, message, broken: true });
  }

  /** @param message for example, `` `windowSize` has no counterpart `` */
  lost(line: number, message: string): void {
    this.#add({ line, message, broken: false });
  }

  lostAt(line: number): Say {
    return (message) => this.lost(line, message);
  }

  /** Counts what isn't part of any conversation. @param what in the plural, such as `spans` */
  skip(what: string, why: string, count = 1): void {
    if (count === 0) return;
    const key = `${what} ${why}`;
    const before = this.#skipped.get(key)?.count ?? 0;
    this.#skipped.set(key, { what, why, count: before + count });
  }

  get skipped(): Skipped[] {
    return [...this.#skipped.values()];
  }

  /** Whether the ledger has the maximum number of entries. Further entries are only counted. */
  get isFull(): boolean {
    return this.#entries.size >= LIMITS.problems;
  }

  /** @param line the first line that isn't read @param why by default, because the ledger is full */
  end(line: number, why = 'the file has too many problems.'): void {
    const message = `This line and those after it are not read: ${why}`;
    this.#end = { line, message, broken: true };
  }

  /** All entries, sorted by line. */
  get entries(): Entry[] {
    const sorted = [...this.#entries.values()].sort((a, b) => a.line - b.line);
    const { line = 1 } = sorted.at(-1) ?? {};
    const message = `And ${readable(this.#unlisted)} more like these.`;
    const more = { line, message, broken: this.#isUnlistedBroken };
    return [...sorted, ...(this.#unlisted > 0 ? [more] : []), ...(this.#end ? [this.#end] : [])];
  }

  #add(given: Entry): void {
    const entry = { ...given, message: this.#scrubber.text(given.message) };
    const key = `${entry.line} ${entry.message}`;
    if (this.isFull && !this.#entries.has(key)) {
      this.#unlisted += 1;
      this.#isUnlistedBroken ||= entry.broken;
    } else this.#entries.set(key, entry);
  }
}

const MODEL = 'openai:gpt-5-mini';

/** A placeholder for a target that can't be read from another tool's file. */
export function placeholderTarget(name = 'agent', system?: string) {
  return {
    head: { targets: { [name]: chatTarget(system) }, target: name },
    comment: `The target "${name}" is a placeholder. Replace it with yours.`,
  };
}

export function chatTarget(system?: string, model: string | Mapping = MODEL) {
  return { type: 'chat', model, ...(system !== undefined && { system }) };
}
