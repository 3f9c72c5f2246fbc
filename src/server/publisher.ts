import { setImmediate } from 'node:timers/promises';
import type { Connection } from 'vscode-languageserver/node';
import { uniqueBy } from '../core/data/data.ts';
import { stackText } from '../core/errors.ts';
import type { Problem } from '../core/problem.ts';
import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import { diagnosticsByFile } from '../language/features/diagnostics.ts';
import { verdictMarks } from '../language/features/verdictMarks.ts';
import { isEvalFile, isMessagesFile } from '../protocol/names.ts';
import { VERDICT_MARKS, type VerdictMarks } from '../protocol/serverProtocol.ts';
import { uriOf } from './clientFiles.ts';
import type { Workspace } from './workspace.ts';

/** Milliseconds without a key press before a text is checked. */
const DEBOUNCE = 150;

/**
 * Publishes the problems of all eval files of the workspace, open or not, also those that stand in
 * the files that they use. A file is known by its path.
 */
export function createPublisher(
  connection: Connection,
  { index, openAt, openPaths, findFiles, check: problemsOf }: Workspace,
  onChecked: (suite: LoadedSuite) => Promise<void>,
) {
  const timers = new Map<string, NodeJS.Timeout>();
  /** The diagnostics of each file that is checked by itself, by the files that they stand in. */
  const published = new Map<string, ReturnType<typeof diagnosticsByFile>>();
  /** Checks of open files that go on. */
  const checking = new Set<Promise<void>>();
  /** Files that are not open and wait to be checked, one after the other. */
  const waiting = new Set<string>();
  let working = false;

  /** A prompt may be used by several eval files: what all of them say about it is shown once. */
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
  const show = (path: string, problems: readonly Problem[]) => {
    const before = published.get(path);
    const files = diagnosticsByFile(problems);
    published.set(path, files);
    send(new Set([...(before?.keys() ?? []), ...files.keys(), path]));
  };
  const forget = (path: string) => {
    const before = published.get(path);
    published.delete(path);
    index.delete(path);
    send(before?.keys() ?? []);
  };

  /** @returns what publishes the problems that were found */
  const checkNow = async (path: string): Promise<() => void> => {
    const version = openAt(path)?.version;
    try {
      const checked = await problemsOf(path);
      if (checked) await onChecked(checked);
      const problems = checked?.problems;
      return () => {
        // A newer text has come meanwhile, and its check with it.
        if (openAt(path)?.version !== version) return;
        // What a suite includes is checked with it: by itself it lacks the suite's models and targets.
        if (problems) show(path, index.isUsed(path) ? [] : problems);
        else forget(path);
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
      // What is open goes first.
      await Promise.all(checking);
      waiting.delete(path);
      checked.push(await checkNow(path));
      // Requests of the editor go first.
      await setImmediate();
    }
    working = false;
    // Only now it is known which files are included by others, and wrong by themselves alone.
    for (const publish of checked) publish();
  };

  /** Checks a file soon: at once what is not open, after a pause in typing what is. */
  const check = (path: string) => {
    if (!isEvalFile(path) && !isMessagesFile(path)) return;
    const open = openAt(path);
    const timer = timers.get(path);
    clearTimeout(timer);
    if (open) {
      // What was just opened nobody types into.
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
    /** Checks everything that was checked before, and every file that is open. */
    checkAll(): void {
      for (const path of new Set([...openPaths(), ...published.keys()])) check(path);
    },
    /** Checks the eval files that are there, and forgets those that are not there any more. */
    async checkFolders(): Promise<void> {
      const found = new Set(await findFiles());
      for (const path of published.keys()) if (!found.has(path) && !openAt(path)) forget(path);
      for (const path of found) check(path);
    },
    /** Checks the eval files that use this one, and the file itself. */
    checkUsersOf(path: string): void {
      index.usersOf(path).forEach(checkAgain);
      check(path);
    },
  };
}

/** Whether a change of this file can change what is said of an eval file. */
export function mayMatter(path: string): boolean {
  return /\.(?:md|jsonl?|csv|ya?ml|[cm]?[jt]s)$/.test(path);
}

/** Sends the client the lines of an eval file that hold judged turns; nothing if it is not open. */
export function markSender(
  connection: Connection,
  { openAt, documentAt, lastRuns, casesNow }: Workspace,
) {
  /** The number of the last look at each file; an earlier look may take longer. */
  const looks = new Map<string, number>();
  let count = 0;
  return async (path: string): Promise<void> => {
    const open = openAt(path);
    if (!open || !isEvalFile(path)) return;
    count += 1;
    const look = count;
    looks.set(path, look);
    const document = await documentAt(path);
    if (!document) return;
    const marks = await verdictMarks(document, lastRuns, casesNow);
    if (looks.get(path) !== look) return;
    const sent: VerdictMarks = { uri: open.uri, marks };
    await connection.sendNotification(VERDICT_MARKS, sent);
  };
}
