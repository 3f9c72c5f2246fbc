import { dirname } from 'node:path';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { remembered } from '../core/data/data.ts';
import { LIMITS } from '../core/limits.ts';
import { type Problem, START } from '../core/problem.ts';
import { type VariantOutcome, worstFirst } from '../core/record/caseHistory.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import { casesNow } from '../evalfile/caseChanges.ts';
import { FileError, type Files, overlayFiles } from '../evalfile/files.ts';
import { loadDocument, loadSuite } from '../evalfile/load.ts';
import { type LoadedSuite, type LoadOptions, withoutCases } from '../evalfile/loadedSuite.ts';
import { readTranscriptFile } from '../evalfile/transcript.ts';
import type { EvalDocument, IndexedFile } from '../language/ports.ts';
import { indexedFile } from '../language/symbols/indexedFile.ts';
import { inSteps, stepsOf } from '../node/cooperative.ts';
import { sha256 } from '../node/hashes.ts';
import { isInside } from '../node/paths.ts';
import { EVAL_GLOB, isEvalFile, isMessagesFile, MESSAGES_GLOB } from '../protocol/names.ts';
import { LatestRuns } from '../store/records/latest.ts';
import { readYaml, rereadYaml } from '../yaml/yamlDocument.ts';
import { isVirtual, pathOf } from './clientFiles.ts';

export type SuiteIndex = ReturnType<typeof createSuiteIndex>;

/**
 * Every file of cases as it was read last: who includes and uses what. Paths are absolute.
 *
 * @param onUseChanged called with each file that another begins or ceases to use
 */
export function createSuiteIndex(onUseChanged: (path: string) => void) {
  const known = new Map<string, LoadedSuite>();
  /** The files that use one, by its path. */
  const users = new Map<string, Set<string>>();

  const relate = (user: string, before: readonly string[], after: readonly string[]) => {
    const gone = before.filter((path) => !after.includes(path));
    const come = after.filter((path) => !before.includes(path));
    for (const path of gone) {
      users.get(path)?.delete(user);
      if (users.get(path)?.size === 0) users.delete(path);
    }
    for (const path of come) users.set(path, users.get(path)?.add(user) ?? new Set([user]));
    for (const path of [...gone, ...come]) onUseChanged(path);
  };

  return {
    /** The eval files, without their cases. */
    suites: (): readonly LoadedSuite[] =>
      [...known.values()].filter(({ path }) => isEvalFile(path)),
    usersOf: (path: string): readonly string[] => [...(users.get(path) ?? [])],
    isUsed: (path: string) => users.has(path),
    put(loaded: LoadedSuite): void {
      const before = known.get(loaded.path)?.dependencies ?? [];
      known.set(loaded.path, withoutCases(loaded));
      relate(loaded.path, before, loaded.dependencies);
    },
    delete(path: string): void {
      const before = known.get(path)?.dependencies ?? [];
      known.delete(path);
      relate(path, before, []);
    },
  };
}

/** Files of a workspace that are checked without being open. */
const MOST_FILES = 2_000;

/** As many files are kept that are not open, and of several as many characters. */
const MOST_CLOSED = 20;
const MOST_CLOSED_TEXT = 1_000_000;

/** Of a case that stands for several conversations, as many are shown in the text. */
const MOST_VARIANTS = 5;

/** A file of cases that a feature looked into. */
interface Kept {
  readonly text: string;
  readonly document: Promise<EvalDocument>;
  readonly reading: AbortController;
  /** The document once it is read: what did not change since is taken over from it. */
  read?: EvalDocument;
}

export type Workspace = ReturnType<typeof createWorkspace>;

/** Asked of every open document with each request. */
const pathOfOpen = remembered(({ uri }: TextDocument) => pathOf(uri));

/**
 * The server's view of the files: what is open counts before what is on the disk, as it is typed
 * rather than as it is saved.
 *
 * @param disk the files as they are if nothing is open
 */
export function createWorkspace(
  open: () => readonly TextDocument[],
  disk: Files,
  index: SuiteIndex,
) {
  let folders: readonly string[] = [];
  let defaultJudge: string | undefined;
  const runs = new LatestRuns();
  /** By path, in the order in which they were read. */
  const keptFiles = new Map<string, Kept>();

  const openAt = (path: string) => open().find((one) => pathOfOpen(one) === path);
  const openPaths = () => open().map(pathOfOpen);
  const files = overlayFiles(disk, (path) => openAt(path)?.getText());

  const now = casesNow(files);

  /** The workspace folder that holds a file; its own folder if none does. */
  const workspaceOf = (path: string): string => {
    const holding = folders.filter((folder) => isInside(path, folder));
    return holding.sort((a, b) => b.length - a.length)[0] ?? dirname(path);
  };
  const optionsFor = (path: string): LoadOptions => ({
    workspace: workspaceOf(path),
    env: (name) => process.env[name],
    ...(defaultJudge !== undefined && { defaultJudge }),
  });
  /** Undefined if the file cannot be read. */
  const readText = (path: string): Promise<string | undefined> =>
    files.read(path, LIMITS.evalFile).catch(() => undefined);

  const read = async (
    path: string,
    text: string,
    before: EvalDocument | undefined,
    signal?: AbortSignal,
  ): Promise<EvalDocument> => {
    const again = before && rereadYaml(text, path, before.yaml);
    // The earlier version is used up: what takes over from it is read to its end.
    if (again) {
      const suite = await loadDocument(again, files, optionsFor(path), before.suite);
      return { yaml: again, suite };
    }
    const yaml = await inSteps(readYaml(text, path), stepsOf(signal));
    const options = { ...optionsFor(path), ...(signal && { signal }) };
    return { yaml, suite: await loadDocument(yaml, files, options) };
  };
  const keep = (path: string, text: string, earlier: Kept | undefined): Kept => {
    earlier?.reading.abort();
    const before = openAt(path) && earlier?.read;
    const reading = new AbortController();
    const kept: Kept = { text, reading, document: read(path, text, before, reading.signal) };
    kept.document.then(
      (document) => {
        kept.read = document;
        if (keptFiles.get(path) === kept) index.put(document.suite);
      },
      () => {},
    );
    keptFiles.delete(path);
    keptFiles.set(path, kept);
    dropClosed();
    return kept;
  };
  /** The last one stays, however long it is. */
  const dropClosed = () => {
    const closed = [...keptFiles].filter(([one]) => !openAt(one)).reverse();
    let length = 0;
    for (const [index, [one, { text }]] of closed.entries()) {
      length += text.length;
      if (index > 0 && (index >= MOST_CLOSED || length > MOST_CLOSED_TEXT)) keptFiles.delete(one);
    }
  };

  /** By path: what was indexed of each file, and the text that it was made of, digested. */
  const indexed = new Map<string, { readonly digest: string; readonly file: IndexedFile }>();

  /** A file of cases, parsed and loaded once for each text. */
  const documentOf = async (path: string, text: string): Promise<EvalDocument | undefined> => {
    const known = keptFiles.get(path);
    const kept = known?.text === text ? known : keep(path, text, known);
    try {
      return await kept.document;
    } catch (error) {
      if (!kept.reading.signal.aborted) throw error;
      // A newer text has come meanwhile.
      return documentAt(path);
    }
  };
  /** Undefined if it cannot be read. */
  const documentAt = async (path: string): Promise<EvalDocument | undefined> => {
    const text = await readText(path);
    return text === undefined ? undefined : documentOf(path, text);
  };
  const indexFile = (document: EvalDocument): IndexedFile => {
    const { path, text } = document.yaml;
    const file = indexedFile(document);
    indexed.set(path, { digest: sha256(text), file });
    return file;
  };
  /** As `documentAt`, but a file that is not open is read only where its text is another one. */
  const fileAt = async (path: string): Promise<IndexedFile | undefined> => {
    const text = await readText(path);
    if (text === undefined) return undefined;
    const isOpen = openAt(path) !== undefined;
    const known = isOpen ? undefined : indexed.get(path);
    if (known && known.digest === sha256(text)) return known.file;
    const document = await documentOf(path, text);
    if (!document) return undefined;
    return isOpen ? indexedFile(document) : indexFile(document);
  };
  const filesAt = async (paths: Iterable<string>, signal: AbortSignal) => {
    const found: IndexedFile[] = [];
    for (const path of paths) {
      const file = await fileAt(path);
      signal.throwIfAborted();
      if (file) found.push(file);
    }
    return found;
  };
  /** Eval files with all that they include. */
  const suitesAt = async (paths: Iterable<string>, signal: AbortSignal) => {
    const suites = await filesAt(paths, signal);
    const parts = new Set(suites.flatMap(({ suite }) => suite.outline.map(({ path }) => path)));
    for (const { suite } of suites) parts.delete(suite.path);
    return [...suites, ...(await filesAt(parts, signal))];
  };
  /** How the conversations of a case ended that are still there. */
  const standing = async (suite: string, id: string): Promise<readonly VariantOutcome[]> => {
    const outcomes = await runs.variants(suite, id);
    const document = outcomes.length > 0 ? await documentAt(suite) : undefined;
    const found = document?.suite.outline.find((one) => one.id === id);
    return document && found ? now(document.suite, found).standing(outcomes) : outcomes;
  };
  /** The eval files of all folders, as far as they are checked. */
  const findFiles = async (): Promise<readonly string[]> => {
    const globs = [EVAL_GLOB, MESSAGES_GLOB];
    const found = await Promise.all(folders.map((folder) => files.glob(globs, folder)));
    return [...new Set(found.flat())].slice(0, MOST_FILES);
  };

  const checkMessages = async (path: string): Promise<LoadedSuite | undefined> => {
    const checked = (problems: readonly Problem[]) => ({
      path,
      problems,
      outline: [],
      dependencies: [],
    });
    try {
      const text = await files.read(path, LIMITS.evalFile);
      const { problems } = await inSteps(readTranscriptFile(text, path), stepsOf());
      return checked(problems);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      if (error.reason === 'missing') return undefined;
      const message = `Not checked in the editor. ${error.message}`;
      const code = `file-${error.reason}`;
      return checked([{ code, message, severity: 'warning', path, range: START }]);
    }
  };

  return {
    files,
    index,
    openAt,
    openPaths,
    /** As `addresses.ts` has it. */
    pathOf(uri: string): string {
      const document = open().find((one) => one.uri === uri);
      return document ? pathOfOpen(document) : pathOf(uri);
    },
    readText,
    documentAt,
    suitesAt,
    findFiles,
    workspaceOf,
    suites: index.suites,
    usersOf: index.usersOf,
    /** Every eval file that is open or that the folders hold, and all that they include. */
    allFiles: async (signal: AbortSignal) =>
      suitesAt(new Set([...openPaths(), ...(await findFiles())].filter(isEvalFile)), signal),
    async openFiles(): Promise<readonly IndexedFile[]> {
      const open = await Promise.all(openPaths().filter(isEvalFile).map(fileAt));
      return open.filter((one) => one !== undefined);
    },
    /** Nothing runs in a virtual workspace, so it has no records. */
    casesNow: now,
    async lastRuns(suite: string, id: string): Promise<readonly CaseLine[]> {
      if (isVirtual(suite)) return [];
      const own = await runs.find(suite, id);
      if (own.length > 0) return own.map(({ line }) => line);
      const worst = worstFirst(await standing(suite, id)).slice(0, MOST_VARIANTS);
      const found = await Promise.all(
        worst.map(({ variant }) => runs.find(suite, id, { variant })),
      );
      return found.flat().map(({ line }) => line);
    },
    pastRuns: async (suite: string, id: string) =>
      isVirtual(suite) ? undefined : runs.history(suite, { id }),
    lastVariants: async (suite: string, id: string): Promise<readonly VariantOutcome[]> =>
      isVirtual(suite) ? [] : standing(suite, id),

    /** What is wrong with a file that is checked by itself; undefined if it is not there. */
    async check(path: string): Promise<LoadedSuite | undefined> {
      if (isMessagesFile(path)) return checkMessages(path);
      if (openAt(path)) return (await documentAt(path))?.suite;
      if ((await files.kindOf(path)) !== 'file') return undefined;
      const text = await readText(path);
      if (text === undefined) return loadSuite(path, files, optionsFor(path));
      const document = await read(path, text, undefined);
      indexFile(document);
      index.put(document.suite);
      return document.suite;
    },
    /** A file changed: what used it is read again, and what may have, since it is not read yet. */
    forgetUsersOf(path: string): void {
      const users = index.usersOf(path);
      for (const one of [path, ...users]) indexed.delete(one);
      for (const [own, { read: wasRead, reading }] of keptFiles) {
        if (wasRead && !users.includes(own)) continue;
        keptFiles.delete(own);
        reading.abort();
      }
    },
    /** @param paths absolute */
    setFolders(paths: readonly string[]): void {
      folders = paths;
      keptFiles.clear();
      indexed.clear();
    },
    setDefaultJudge(judge: string | undefined): void {
      defaultJudge = judge;
      keptFiles.clear();
      indexed.clear();
    },
  };
}
