import type { Estimate } from '../core/estimate.ts';
import type { CaseHistory, VariantOutcome } from '../core/record/caseHistory.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { Suite, SuiteCase } from '../core/suite.ts';
import type { ChangeDetector } from '../evalfile/caseChanges.ts';
import type { Files } from '../evalfile/files.ts';
import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import type { Step } from '../node/cooperative.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import type { SymbolTable } from './symbols/symbolTable.ts';

export interface EvalDocument {
  readonly yaml: YamlDocument;
  readonly suite: LoadedSuite;
}

/** A file of cases. Kept small, because many files are cached. */
export interface IndexedFile {
  readonly path: string;
  /** The suite without its cases. */
  readonly suite: LoadedSuite;
  readonly symbols: SymbolTable;
  /** Number of cases in the file itself. */
  readonly caseCount: number;
}

/** Estimates a case, including the examples that judges get from the suite's labels. */
export type EstimateCase = (suiteCase: SuiteCase, suite: Suite) => Promise<Estimate>;

export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

export interface ClientSettings {
  /** Whether completions may be snippets (`insertTextFormat` 2). */
  readonly snippets: boolean;
  readonly hints: HintSettings;
}

export interface HintSettings {
  /** Whether to show `turn 3` before each message and scripted turn. */
  readonly turnNumbers: boolean;
  readonly scores: boolean;
}

/** The functions don't use `this`. Paths are absolute; open files include unsaved changes. */
export interface LanguagePorts {
  readonly files: Pick<Files, 'kindOf' | 'realPath'>;
  /** Undefined if the file cannot be read. */
  readText(path: string): Promise<string | undefined>;
  /** Rejects if the folder doesn't exist. */
  listFolder(path: string): Promise<readonly FolderEntry[]>;
  /** Undefined if the file cannot be read. */
  documentAt(path: string): Promise<EvalDocument | undefined>;
  openFiles(): Promise<readonly IndexedFile[]>;
  /** All eval files that are open or in the workspace, and the files that they include. */
  allFiles(signal: AbortSignal): Promise<readonly IndexedFile[]>;
  /** Eval files, and the files that they include. */
  suitesAt(paths: readonly string[], signal: AbortSignal): Promise<readonly IndexedFile[]>;
  /** The eval files as last read, without their cases. */
  suites(): readonly LoadedSuite[];
  /** Paths of the case files that use a file. */
  usersOf(path: string): readonly string[];
  /** The folder that paths in a file must not leave. */
  workspaceOf(path: string): string;
  /**
   * The last results of a case, one line per repetition; empty if it never ran. If the case has variants, contains only
   * the lines of the few variants with the worst results.
   */
  lastRuns(suite: string, id: string): Promise<readonly CaseLine[]>;
  /** The last results of a case's variants; empty if none ran. */
  lastVariants(suite: string, id: string): Promise<readonly VariantOutcome[]>;
  /** The case's history; undefined if the case ran fewer than two times. */
  pastRuns(suite: string, id: string): Promise<CaseHistory | undefined>;
  readonly changeDetector: ChangeDetector;
  readonly estimate: EstimateCase;
  /** The editor's models, as `provider:model`. */
  editorModels(): Promise<readonly string[]>;
  /** The names of environment variables that have a value, in the environment or the editor's secret store. */
  setVariables(names: readonly string[]): Promise<readonly string[]>;
  clientSettings(): ClientSettings;
  /** @param page such as `reference/models.md#openai` @returns a URI that opens it */
  docsLink(page: string): string;
  pathOf(uri: string): string;
  uriOf(path: string): string;
}

export type ResultPorts = Pick<LanguagePorts, 'lastRuns'> &
  Partial<Pick<LanguagePorts, 'lastVariants' | 'pastRuns' | 'changeDetector' | 'docsLink'>>;

/** What completion can offer. Nothing is offered for absent members. */
export interface CompletionContext
  extends Partial<
    Pick<LanguagePorts, 'files' | 'listFolder' | 'readText' | 'editorModels' | 'lastRuns'>
  > {
  readonly snippets?: boolean;
  readonly workspace?: string;
  /** The parsed suite that includes the file. */
  readonly including?: unknown;
  /** The path of the suite whose cases run; default: the file's own. */
  readonly suite?: string;
}

/** A request to complete text in the file at `path`, which is absolute. */
export interface CompletionRequest extends CompletionContext {
  readonly text: string;
  readonly path: string;
  readonly step: Step;
}
