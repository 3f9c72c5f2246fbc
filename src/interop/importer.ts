import type { Mapping, Path } from '../core/data/data.ts';

/** A line in the file, or an item in its list. */
export interface Row {
  /** From 1. */
  readonly line: number;
  readonly value: unknown;
  /** The line of a value in it, if known. */
  readonly lineOf?: (path: Path) => number;
}

/** A case from another tool's file. */
export interface DraftCase {
  readonly line: number;
  /** Its id, or words to make one from. */
  readonly name?: string | undefined;
  /** Words to make an id from if it has no name. */
  readonly opening?: string | undefined;
  /** Its keys besides `id` and `assert`; undefined values are left out. */
  readonly keys: Mapping;
  readonly assert: readonly unknown[];
  /** Assertions to suggest in comments. */
  readonly suggestions: readonly unknown[];
}

export interface Draft {
  /** The top-level keys besides `cases`. */
  readonly head?: Mapping;
  readonly comments?: readonly string[];
  readonly cases: readonly DraftCase[];
}

/** A supported format: one file in `importers` and one line in the list of importers. */
export interface Importer {
  /** The name to show, such as `DeepEval`. */
  readonly name: string;
  /** The kinds of files and contents that it reads. */
  readonly takes: string;
  /** The tag of its cases. */
  readonly tag: string;
  /** Whether a row is in its format, even if broken. */
  matches(value: unknown): boolean;
  /** Records everything that it leaves out in the ledger. */
  read(rows: readonly Row[], ledger: Ledger): Draft;
}

export interface Entry {
  /** Line of the imported file, from 1. */
  readonly line: number;
  readonly message: string;
  /** True if something couldn't be read; otherwise it has no counterpart in an eval file. */
  readonly broken: boolean;
}

/** Reports what was lost. */
export type Say = (message: string) => void;

/** What was left out of the eval file, and why. */
export class Ledger {
  readonly #entries = new Map<string, Entry>();

  broken(line: number, message: string): void {
    this.#add({ line, message, broken: true });
  }

  /** @param message such as `` `windowSize` has no counterpart `` */
  lost(line: number, message: string): void {
    this.#add({ line, message, broken: false });
  }

  lostAt(line: number): Say {
    return (message) => this.lost(line, message);
  }

  /** Sorted by line. */
  get entries(): Entry[] {
    return [...this.#entries.values()].sort((a, b) => a.line - b.line);
  }

  #add(entry: Entry): void {
    this.#entries.set(`${entry.line} ${entry.message}`, entry);
  }
}

const MODEL = 'openai:gpt-5-mini';

/** A target that stands in for one that can't be read from another tool's file. */
export function placeholderTarget(name = 'agent', system?: string) {
  return {
    head: { targets: { [name]: chatTarget(system) }, target: name },
    comment: `The target "${name}" is a placeholder. Replace it with yours.`,
  };
}

export function chatTarget(system?: string, model: string | Mapping = MODEL) {
  return { type: 'chat', model, ...(system !== undefined && { system }) };
}
