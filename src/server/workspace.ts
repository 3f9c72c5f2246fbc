import { dirname } from 'node:path';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { memoize } from '../core/data/data.ts';
import { LIMITS } from '../core/limits.ts';
import { type Problem, START } from '../core/problem.ts';
import { type VariantOutcome, worstFirst } from '../core/record/caseHistory.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import { changeDetector } from '../evalfile/caseChanges.ts';
import { FileError, type Files, overlayFiles } from '../evalfile/files.ts';
import { loadDocument, loadSuite } from '../evalfile/load.ts';
import { type LoadedSuite, type LoadOptions, withoutCases } from '../evalfile/loadedSuite.ts';
import { readTranscriptFile } from '../evalfile/transcript.ts';
import type { EvalDocument, IndexedFile } from '../language/ports.ts';
import { indexedFile } from '../language/symbols/sameSymbol.ts';
import { runCooperatively, stepsOf } from '../node/cooperative.ts';
import { sha256 } from '../node/hashes.ts';
import { EVAL_GLOB, isEvalFile, isInside, isMessagesFile, MESSAGES_GLOB } from '../node/paths.ts';
import { LatestRuns } from '../store/records/latest.ts';
import { readYaml, rereadYaml } from '../yaml/yamlDocument.ts';
import { isVirtual, pathOf } from './clientFiles.ts';

/**
 * The case files, and which files use each other. Paths are absolute.
 *
 * @param onUseChanged called with each file that another file starts or stops using
 */
export function createSuiteIndex(onUseChanged: (path: string) => void) {
  const known = new Map<string, LoadedSuite>();
  /** For each path, the files that use it. */
  const users = new Map<string, Set<string>>();

  const updateUses = (user: string, before: readonly string[], after: readonly string[]) => {
    const removed = before.filter((path) => !after.includes(path));
    const added = after.filter((path) => !before.includes(path));
    for (const path of removed) {
      users.get(path)?.delete(user);
      if (users.get(path)?.size === 0) users.delete(path);
    }
    for (const path of added) users.set(path, users.get(path)?.add(user) ?? new Set([user]));
    for (const path of [...removed, ...added]) onUseChanged(path);
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
      updateUses(loaded.path, before, loaded.dependencies);
    },
    delete(path: string): void {
      const before = known.get(path)?.dependencies ?? [];
      known.delete(path);
      updateUses(path, before, []);
    },
  };
}

/** Maximum number of files to check that aren't open. */
const MAX_FILES = 2_000;

/**
 * Maximum number of cached files that aren't open, and maximum number of characters in them (not counting the newest
 * file).
 */
const MAX_CLOSED = 20;
const MAX_CLOSED_TEXT = 1_000_000;

/** Maximum number of variants per case to show in hints. */
const MAX_VARIANTS = 5;

interface CachedFile {
  readonly text: string;
  readonly document: Promise<EvalDocument>;
  readonly reading: AbortController;
  /** Set once the file has been read. The next version reuses its unchanged parts. */
  read?: EvalDocument;
}

export type Workspace = ReturnType<typeof createWorkspace>;

/** Memoized, because every request calls it for every open document. */
const pathOfOpen = memoize(({ uri }: TextDocument) => pathOf(uri));

/** The workspace's files. The unsaved text of an open file takes precedence over the file on disk. */
export function createWorkspace(
  open: () => readonly TextDocument[],
  disk: Files,
  index: ReturnType<typeof createSuiteIndex>,
) {
  let folders: readonly string[] = [];
  let defaultJudge: string | undefined;
  const runs = new LatestRuns();
  /** Cached files by path, in the order in which they were read. */
  const cachedFiles = new Map<string, CachedFile>();

  const openAt = (path: string) => open().find((document) => pathOfOpen(document) === path);
  const openPaths = () => open().map(pathOfOpen);
  const files = overlayFiles(disk, (path) => openAt(path)?.getText());

  const now = changeDetector(files);

  /** The workspace folder that contains a file, or else the file's own folder. */
  const workspaceOf = (path: string): string => {
    const holding = folders.filter((folder) => isInside(path, folder));
    return holding.sort((a, b) => b.length - a.length)[0] ?? dirname(path);
  };
  const optionsFor = (path: string): LoadOptions => ({
    workspace: workspaceOf(path),
    env: (name) => process.env[name],
    ...(defaultJudge !== undefined && { defaultJudge }),
  });
  /** Undefined if the file can't be read. */
  const readText = (path: string): Promise<string | undefined> =>
    files.read(path, LIMITS.evalFile).catch(() => undefined);

  const read = async (
    path: string,
    text: string,
    before: EvalDocument | undefined,
    signal?: AbortSignal,
  ): Promise<EvalDocument> => {
    const reread = before && rereadYaml(text, path, before.yaml);
    // `reread` reuses the earlier version's nodes, so loading must not be aborted.
    if (reread) {
      const suite = await loadDocument(reread, files, optionsFor(path), before.suite);
      return { yaml: reread, suite };
    }
    const yaml = await runCooperatively(readYaml(text, path), stepsOf(signal));
    const options = { ...optionsFor(path), ...(signal && { signal }) };
    return { yaml, suite: await loadDocument(yaml, files, options) };
  };
  const cache = (path: string, text: string, earlier: CachedFile | undefined): CachedFile => {
    earlier?.reading.abort();
    const before = openAt(path) && earlier?.read;
    const reading = new AbortController();
    const document = read(path, text, before, reading.signal);
    const cached: CachedFile = { text, reading, document };
    document.then(
      (loaded) => {
        cached.read = loaded;
        if (cachedFiles.get(path) === cached) index.put(loaded.suite);
      },
      () => {},
    );
    cachedFiles.delete(path);
    cachedFiles.set(path, cached);
    evictClosed();
    return cached;
  };
  /** Evicts files that aren't open, but never the most recently read one, regardless of its length. */
  const evictClosed = () => {
    const closed = [...cachedFiles].filter(([one]) => !openAt(one)).reverse();
    let length = 0;
    for (const [index, [one, { text }]] of closed.entries()) {
      length += text.length;
      if (index > 0 && (index >= MAX_CLOSED || length > MAX_CLOSED_TEXT)) cachedFiles.delete(one);
    }
  };

  /** Indexed files by path, with the hash of the text that each was read from. */
  const indexed = new Map<string, { readonly digest: string; readonly file: IndexedFile }>();

  /** Parses and loads each version of a file once. */
  const documentOf = async (path: string, text: string): Promise<EvalDocument | undefined> => {
    const known = cachedFiles.get(path);
    const cached = known?.text === text ? known : cache(path, text, known);
    try {
      return await cached.document;
    } catch (error) {
      if (!cached.reading.signal.aborted) throw error;
      // A newer version exists.
      return documentAt(path);
    }
  };
  /** Undefined if the file can't be read. */
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
  /** Reads a file that isn't open, but only if its text has changed. */
  const fileAt = async (path: string): Promise<IndexedFile | undefined> => {
    const text = await readText(path);
    if (text === undefined) return undefined;
    const isOpen = openAt(path) !== undefined;
    const known = isOpen ? undefined : indexed.get(path);
    // Hashing a long text takes longer than most requests.
    if (known && sha256(text) === known.digest) return known.file;
    const document = await documentOf(path, text);
    return document && (isOpen ? indexedFile(document) : indexFile(document));
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
  /** Eval files, and the files that they include. */
  const suitesAt = async (paths: Iterable<string>, signal: AbortSignal) => {
    const suites = await filesAt(paths, signal);
    const parts = new Set(suites.flatMap(({ suite }) => suite.outline.map(({ path }) => path)));
    for (const { suite } of suites) parts.delete(suite.path);
    return [...suites, ...(await filesAt(parts, signal))];
  };
  /** The last results of those variants that a case still has. */
  const currentOutcomes = async (suite: string, id: string): Promise<readonly VariantOutcome[]> => {
    const outcomes = await runs.variants(suite, id);
    const document = outcomes.length > 0 ? await documentAt(suite) : undefined;
    const found = document?.suite.outline.find((one) => one.id === id);
    return document && found ? now(document.suite, found).currentOutcomes(outcomes) : outcomes;
  };
  /** The eval files and message files in all folders, up to `MAX_FILES`. */
  const findFiles = async (): Promise<readonly string[]> => {
    const globs = [EVAL_GLOB, MESSAGES_GLOB];
    const found = await Promise.all(folders.map((folder) => files.glob(globs, folder)));
    return [...new Set(found.flat())].slice(0, MAX_FILES);
  };

  const checkMessages = async (path: string): Promise<LoadedSuite | undefined> => {
    let problems: readonly Problem[];
    try {
      const text = await files.read(path, LIMITS.evalFile);
      ({ problems } = await runCooperatively(readTranscriptFile(text, path), stepsOf()));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      if (error.reason === 'missing') return undefined;
      const message = `Not checked in the editor. ${error.message}`;
      const code = `file-${error.reason}`;
      problems = [{ code, message, severity: 'warning', path, range: START }];
    }
    return { path, problems, outline: [], dependencies: [] };
  };

  return {
    files,
    index,
    openAt,
    openPaths,
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
    /** All eval files that are open or in a folder, and the files that they include. */
    allFiles: async (signal: AbortSignal) =>
      suitesAt(new Set([...openPaths(), ...(await findFiles())].filter(isEvalFile)), signal),
    async openFiles(): Promise<readonly IndexedFile[]> {
      const open = await Promise.all(openPaths().filter(isEvalFile).map(fileAt));
      return open.filter((one) => one !== undefined);
    },
    changeDetector: now,
    /** Empty in a virtual workspace: nothing runs there, so there are no records. */
    async lastRuns(suite: string, id: string): Promise<readonly CaseLine[]> {
      if (isVirtual(suite)) return [];
      const own = await runs.find(suite, id);
      if (own.length > 0) return own.map(({ line }) => line);
      const worst = worstFirst(await currentOutcomes(suite, id)).slice(0, MAX_VARIANTS);
      const found = await Promise.all(
        worst.map(({ variant }) => runs.find(suite, id, { variant })),
      );
      return found.flat().map(({ line }) => line);
    },
    pastRuns: async (suite: string, id: string) =>
      isVirtual(suite) ? undefined : runs.history(suite, { id }),
    lastVariants: async (suite: string, id: string): Promise<readonly VariantOutcome[]> =>
      isVirtual(suite) ? [] : currentOutcomes(suite, id),

    /** Loads a file to check it; undefined if it doesn't exist. */
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
    /** Discards a changed file, the files that use it, and files that may use it because they haven't been read yet. */
    invalidateUsersOf(path: string): void {
      const users = index.usersOf(path);
      for (const one of [path, ...users]) indexed.delete(one);
      for (const [own, { read: wasRead, reading }] of cachedFiles) {
        if (wasRead && !users.includes(own)) continue;
        cachedFiles.delete(own);
        reading.abort();
      }
    },
    /** @param paths absolute */
    setFolders(paths: readonly string[]): void {
      folders = paths;
      cachedFiles.clear();
      indexed.clear();
    },
    setDefaultJudge(judge: string | undefined): void {
      defaultJudge = judge;
      cachedFiles.clear();
      indexed.clear();
    },
  };
}
