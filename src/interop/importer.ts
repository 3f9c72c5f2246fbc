import type { Mapping, Path } from '../core/data/data.ts';

/** What stands on a line of the file, or is an item of its list. */
export interface Row {
  /** From 1. */
  readonly line: number;
  readonly value: unknown;
  /** The line of something in it, where that is known. */
  readonly lineOf?: (path: Path) => number;
}

/** A case as another tool's file says it. */
export interface DraftCase {
  readonly line: number;
  /** Its id, or words to make one of. */
  readonly name?: string | undefined;
  /** Words to make an id of where it has no name. */
  readonly opening?: string | undefined;
  /** Its keys besides `id` and `assert`; what is undefined is left out. */
  readonly keys: Mapping;
  readonly assert: readonly unknown[];
  /** Assertions that a person may want, written as comments. */
  readonly suggestions: readonly unknown[];
}

export interface Draft {
  /** The keys at the top besides `cases`. */
  readonly head?: Mapping;
  readonly comments?: readonly string[];
  readonly cases: readonly DraftCase[];
}

/** One kind of file: a file in this folder and its line in the registry. */
export interface Importer {
  /** As people call it, such as `DeepEval`. */
  readonly name: string;
  /** What of it is read. */
  readonly takes: string;
  /** The tag that its cases get. */
  readonly tag: string;
  /** Whether a row is meant for it, however broken it is. */
  matches(value: unknown): boolean;
  /** Loses no row in silence: what is not carried over goes into the ledger. */
  read(rows: readonly Row[], ledger: Ledger): Draft;
}

export interface Entry {
  /** Of the imported file, from 1. */
  readonly line: number;
  readonly message: string;
  /** True if something could not be read; else it has no place in an eval file. */
  readonly broken: boolean;
}

/** What of a file did not come into the eval file, and why. */
export class Ledger {
  readonly #entries = new Map<string, Entry>();

  broken(line: number, message: string): void {
    this.#add({ line, message, broken: true });
  }

  /** @param message such as `` `windowSize` has no counterpart `` */
  lost(line: number, message: string): void {
    this.#add({ line, message, broken: false });
  }

  /** By line. */
  get entries(): Entry[] {
    return [...this.#entries.values()].sort((a, b) => a.line - b.line);
  }

  #add(entry: Entry): void {
    this.#entries.set(`${entry.line} ${entry.message}`, entry);
  }
}

const MODEL = 'openai:gpt-5-mini';

/** What a live case of another tool is asked of: it says so nowhere that could be read. */
export function placeholderTarget(name = 'agent', system?: string) {
  return {
    head: { targets: { [name]: chatTarget(system) }, target: name },
    comment: `The target "${name}" stands in for yours: write here what is tested.`,
  };
}

export function chatTarget(system?: string, model: string | Mapping = MODEL) {
  return { type: 'chat', model, ...(system !== undefined && { system }) };
}
