import { setImmediate } from 'node:timers/promises';
import type { Connection } from 'vscode-languageserver/node';
import { uniqueBy } from '../core/data/data.ts';
import { stackText } from '../core/errors.ts';
import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import { problemPages } from '../language/docsPages.ts';
import { diagnosticsByFile } from '../language/features/diagnostics.ts';
import { verdictMarks } from '../language/features/verdictMarks.ts';
import { isEvalFile, isMessagesFile } from '../node/paths.ts';
import { VERDICT_MARKS, type VerdictMarks } from '../protocol/serverProtocol.ts';
import { uriOf } from './clientFiles.ts';
import type { Workspace } from './workspace.ts';

/** Milliseconds without typing before an open file is checked. */
const DEBOUNCE = 150;

/** Publishes the problems in all of the workspace's eval files, whether open or not, and in the files that they use. */
export function createPublisher(
  connection: Connection,
  { index, openAt, openPaths, findFiles, documentAt, check: load }: Workspace,
  docsLink: (page: string) => string,
  onChecked: (suite: LoadedSuite) => Promise<void>,
) {
  const timers = new Map<string, NodeJS.Timeout>();
  /** For each checked file, its diagnostics by the file that they appear in. */
  const published = new Map<string, ReturnType<typeof diagnosticsByFile>>();
  /** Checks of open files that are in progress. */
  const checking = new Set<Promise<void>>();
  /** Files that aren't open and are waiting to be checked. */
  const waiting = new Set<string>();
  let working = false;

  /** Sends diagnostics. Eval files that share a prompt report the same problems in it, so duplicates are removed. */
  const send = (paths: Iterable<string>) => {
    for (const path of paths) {
      const all = [...published.values()].flatMap((files) => files.get(path) ?? []);
      const open = openAt(path);
      void connection.sendDiagnostics({
        uri: open?.uri ?? uriOf(path),
        diagnostics: uniqueBy(all, (one) => JSON.stringify(one)),
        ...(open && { version: open.version }),
      });
    }
  };
  const show = (path: string, files: ReturnType<typeof diagnosticsByFile>) => {
    const before = published.get(path);
    published.set(path, files);
    send(new Set([...(before?.keys() ?? []), ...files.keys(), path]));
  };
  const remove = (path: string) => {
    const before = published.get(path);
    published.delete(path);
    index.delete(path);
    send(before?.keys() ?? []);
  };

  /** @returns a function that publishes the problems */
  const checkNow = async (path: string): Promise<() => void> => {
    const version = openAt(path)?.version;
    try {
      const checked = await load(path);
      if (checked) await onChecked(checked);
      const problems = checked?.problems ?? [];
      const pageOf = await problemPages(problems, documentAt);
      return () => {
        // A newer version gets its own check.
        if (openAt(path)?.version !== version) return;
        // An included file is checked as part of its suite: on its own, it would lack the suite's models and targets.
        if (!checked) remove(path);
        else if (index.isUsed(path)) show(path, new Map());
        else
          show(
            path,
            diagnosticsByFile(problems, (one) => docsLink(pageOf(one))),
          );
      };
    } catch (error) {
      connection.console.error(stackText(error));
      return () => {};
    }
  };
  const checkOpen = (path: string) => {
    timers.delete(path);
    const check = checkNow(path).then((publish) => {
      checking.delete(check);
      publish();
    });
    checking.add(check);
  };
  const work = async () => {
    if (working) return;
    working = true;
    const checked: (() => void)[] = [];
    for (const path of waiting) {
      // Open files take precedence.
      await Promise.all(checking);
      waiting.delete(path);
      checked.push(await checkNow(path));
      // Requests from the editor take precedence.
      await setImmediate();
    }
    working = false;
    // Published only now, because a file may be included by one that was checked after it.
    for (const publish of checked) publish();
  };

  /** Checks an open file after a pause in typing, and any other file as soon as possible. */
  const check = (path: string) => {
    if (!isEvalFile(path) && !isMessagesFile(path)) return;
    const timer = timers.get(path);
    clearTimeout(timer);
    if (openAt(path)) {
      // A file that was just opened is checked immediately.
      const pause = timer || published.has(path) ? DEBOUNCE : 0;
      timers.set(path, setTimeout(checkOpen, pause, path));
    } else {
      waiting.add(path);
      void work();
    }
  };
  const checkAgain = (path: string) => {
    if (published.has(path)) check(path);
  };
  return {
    checkAgain,
    /** Checks all open files, and all files that were checked before. */
    checkAll(): void {
      for (const path of new Set([...openPaths(), ...published.keys()])) check(path);
    },
    /** Checks the eval files in all folders, and removes those that no longer exist. */
    async checkFolders(): Promise<void> {
      const found = new Set(await findFiles());
      for (const path of published.keys()) if (!found.has(path) && !openAt(path)) remove(path);
      for (const path of found) check(path);
    },
    /** Checks a file, and the eval files that use it. */
    checkUsersOf(path: string): void {
      index.usersOf(path).forEach(checkAgain);
      check(path);
    },
  };
}

/** Whether an eval file may depend on this file. */
export function isPossibleDependency(path: string): boolean {
  return /\.(?:md|jsonl?|csv|ya?ml|[cm]?[jt]s)$/.test(path);
}

/** Sends an eval file's verdict marks to the client, if the file is open. */
export function createMarkSender(
  connection: Connection,
  { openAt, documentAt, lastRuns, changeDetector }: Workspace,
) {
  /** The latest request for each file, because an earlier one may take longer. */
  const latest = new Map<string, symbol>();
  return async (path: string): Promise<void> => {
    const open = openAt(path);
    if (!open || !isEvalFile(path)) return;
    const current = Symbol();
    latest.set(path, current);
    const document = await documentAt(path);
    if (!document) return;
    const marks = await verdictMarks(document, { lastRuns, changeDetector });
    const params: VerdictMarks = { uri: open.uri, marks };
    if (latest.get(path) === current) await connection.sendNotification(VERDICT_MARKS, params);
  };
}
