import type { Estimate } from '../core/estimate.ts';
import type { CaseHistory, VariantOutcome } from '../core/record/caseHistory.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { Suite, SuiteCase } from '../core/suite.ts';
import type { CasesNow } from '../evalfile/caseChanges.ts';
import type { Files } from '../evalfile/files.ts';
import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import type { SymbolTable } from './symbols/symbolTable.ts';

/** An eval file as the features see it: parsed once for each version of its text. */
export interface EvalDocument {
  readonly yaml: YamlDocument;
  readonly suite: LoadedSuite;
}

/** What is known of a file of cases without its text; many are kept. */
export interface IndexedFile {
  readonly path: string;
  /** Without its cases. */
  readonly suite: LoadedSuite;
  readonly symbols: SymbolTable;
  /** How many cases stand in the file itself. */
  readonly caseCount: number;
}

/**
 * What the last runs said about a case, one line for each repetition; empty if it never ran. Of a case that
 * stands for several conversations, the lines of a few that did worst.
 */
export type LastRuns = (suite: string, id: string) => Promise<readonly CaseLine[]>;

/** How the conversations that a case stands for ended last, and how they have changed since; empty if none ran. */
export type LastVariants = (suite: string, id: string) => Promise<readonly VariantOutcome[]>;

/** How a case came out over its last runs; undefined for fewer than two. */
export type PastRuns = (suite: string, id: string) => Promise<CaseHistory | undefined>;

/** What a run of a case takes, with the examples that the labels beside its suite give. */
export type Estimating = (suiteCase: SuiteCase, suite: Suite) => Promise<Estimate>;

export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** What the client understands and what its user wants to see. */
export interface ClientWishes {
  /** `insertTextFormat` 2 in completions. */
  readonly snippets: boolean;
  readonly hints: HintSettings;
}

export interface HintSettings {
  /** `turn 3` before each message and scripted turn. */
  readonly turnNumbers: boolean;
  readonly scores: boolean;
}

/**
 * All that the features ask of the world: functions that need no `this`, so that each can be handed
 * on by itself. Paths are absolute, texts as they are typed rather than as they are saved.
 */
export interface LanguagePorts {
  readonly files: Pick<Files, 'kindOf' | 'realPath'>;
  /** Undefined if the file cannot be read. */
  readText(path: string): Promise<string | undefined>;
  /** What a folder holds; rejects where there is no such folder. */
  listFolder(path: string): Promise<readonly FolderEntry[]>;
  /** Undefined if the file cannot be read. */
  documentAt(path: string): Promise<EvalDocument | undefined>;
  openFiles(): Promise<readonly IndexedFile[]>;
  /** Every eval file that is open or that the workspace holds, and all that they include. */
  allFiles(signal: AbortSignal): Promise<readonly IndexedFile[]>;
  /** Eval files with all that they include. */
  suitesAt(paths: readonly string[], signal: AbortSignal): Promise<readonly IndexedFile[]>;
  /** Every eval file as it was read last, without its cases. */
  suites(): readonly LoadedSuite[];
  /** The files of cases that use a file, by their paths. */
  usersOf(path: string): readonly string[];
  /** The folder that the paths in a file may not leave. */
  workspaceOf(path: string): string;
  readonly lastRuns: LastRuns;
  readonly lastVariants: LastVariants;
  readonly pastRuns: PastRuns;
  readonly casesNow: CasesNow;
  readonly estimate: Estimating;
  /** The models of the editor, as `provider:model`. */
  editorModels(): Promise<readonly string[]>;
  wishes(): ClientWishes;
  pathOf(uri: string): string;
  uriOf(path: string): string;
}

/** What completion may ask of the workspace; what is absent is not offered. */
export interface CompletionContext
  extends Partial<Pick<LanguagePorts, 'files' | 'listFolder' | 'readText' | 'editorModels'>> {
  readonly snippets?: boolean;
  readonly workspace?: string;
  /** The data of a suite that includes the file. */
  readonly including?: unknown;
}
