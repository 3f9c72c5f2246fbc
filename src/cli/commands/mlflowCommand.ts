import { resolve } from 'node:path';
import { counted } from '../../core/text/format.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { loadSuite } from '../../evalfile/load.ts';
import { nodeFiles } from '../../evalfile/nodeFiles.ts';
import { labelLines } from '../../interop/feedback.ts';
import { connectionOf, MlflowClient } from '../../interop/mlflow/client.ts';
import { type Link, sessionOf } from '../../interop/mlflow/folder.ts';
import { defaultEvalFile, pull as pullSessions } from '../../interop/mlflow/pull.ts';
import {
  type JudgedCase,
  type JudgedRun,
  push as pushRun,
  readLink,
} from '../../interop/mlflow/push.ts';
import { isEvalFile } from '../../node/paths.ts';
import { shownPath } from '../../report/style.ts';
import { findExistingDataFolders } from '../../store/dataFolder.ts';
import { recordsOf } from '../../store/records/files.ts';
import { gapsOf, readCases } from '../../store/records/runRecord.ts';
import { CASES_MISSING, EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import { assertWritesInside, fileWorkspace, findEvalFiles, workspaceOf } from '../paths.ts';
import type { Shell } from '../shell.ts';

interface PullOptions {
  readonly session?: readonly string[];
  readonly out?: string;
}

const PULL_FIRST = 'Pull an experiment first: turnlight mlflow pull EXPERIMENT';

/** Maximum number of notes to show. */
const MAX_NOTES = 10;

/** Pulls an experiment's sessions into an eval file. @throws UsageError, ConnectionError, MlflowError */
export async function pull(
  experiment: string,
  { session = [], out }: PullOptions,
  shell: Shell,
): Promise<ExitCode> {
  const evalFile =
    out === undefined ? defaultEvalFile(shell.folder, experiment) : resolve(shell.folder, out);
  if (!isEvalFile(evalFile)) {
    throw new UsageError(`--out: expected a file that ends in .eval.yaml, found "${out}".`);
  }
  assertWritesInside(evalFile, shell.folder);
  return withClient(shell, async (client) => {
    const load = async (path: string) => {
      const workspace = fileWorkspace(path, workspaceOf(shell.folder));
      return (await loadSuite(path, nodeFiles(), { workspace, env: shell.env })).suite;
    };
    const pulled = await pullSessions(client, { experiment, sessions: session, evalFile, load });
    const { labels, notes } = pulled;
    const file = shownPath(evalFile, shell.folder);
    const print = (line: string) => shell.out.write(`${visibleLine(line)}\n`);
    print(
      `Pulled ${counted(pulled.sessions, 'session')} with ${counted(pulled.traces, 'trace')} ${pulled.created ? `into ${file}` : `for ${file}, which is unchanged`}.`,
    );
    for (const line of labelLines(labels)) print(line);
    for (const note of notes.slice(0, MAX_NOTES)) print(`- ${note}`);
    if (notes.length > MAX_NOTES) print(`- and ${notes.length - MAX_NOTES} more`);
    print(`Next: turnlight run ${file}, then turnlight mlflow push ${file}.`);
    return labels.tooLarge.length > 0 ? EXIT.unwritten : EXIT.passed;
  });
}

/** Sends the newest run of each file to MLflow. @throws UsageError, ConnectionError, MlflowError */
export async function push(globs: readonly string[], shell: Shell): Promise<ExitCode> {
  const files = await findEvalFiles(globs, shell.folder);
  const linked: { readonly file: string; readonly link: Link }[] = [];
  for (const file of files) {
    const link = await readLink(file);
    if (link) linked.push({ file, link });
    else if (globs.length > 0) {
      const shown = shownPath(file, shell.folder);
      throw new UsageError(`${shown} was not pulled from MLflow. ${PULL_FIRST}`);
    }
  }
  if (linked.length === 0)
    throw new UsageError(`No eval file here was pulled from MLflow. ${PULL_FIRST}`);
  return withClient(shell, async (client) => {
    let isComplete = true;
    for (const { file, link } of linked) {
      const shown = shownPath(file, shell.folder);
      const found = await newestRun(file, link);
      if (!found) {
        throw new UsageError(`${shown} has no run to push. Run it first: turnlight run ${shown}`);
      }
      const { run, gaps } = found;
      for (const gap of gaps) shell.err.write(`${visibleLine(gap)}\n`);
      isComplete &&= gaps.length === 0;
      const pushed = await pushRun(client, run, link);
      const known = pushed.known > 0 ? ` (${pushed.known} already existed)` : '';
      const line = `${shown}: ${counted(pushed.assessments, 'assessment')} on ${counted(pushed.sessions, 'session')}${known}, ${counted(pushed.metrics, 'metric')} in the evaluation run ${pushed.runId} of "${link.experiment.name}".`;
      shell.out.write(`${visibleLine(line)}\n`);
    }
    if (!isComplete) shell.err.write(CASES_MISSING);
    return isComplete ? EXIT.passed : EXIT.errored;
  });
}

async function withClient(
  shell: Shell,
  work: (client: MlflowClient) => Promise<ExitCode>,
): Promise<ExitCode> {
  const connection = connectionOf(shell.env, shell.scrubber);
  const signal = shell.catchInterrupt();
  try {
    return await work(new MlflowClient(connection, signal));
  } catch (error) {
    if (signal.aborted) return EXIT.cancelled;
    throw error;
  }
}

interface FoundRun {
  readonly run: JudgedRun;
  /** Reasons why results may be missing. */
  readonly gaps: readonly string[];
}

/** The newest run with cases that came from sessions. */
async function newestRun(evalFile: string, link: Link): Promise<FoundRun | undefined> {
  const dataFolders = findExistingDataFolders(evalFile);
  const { path } = dataFolders;
  for (const name of await recordsOf(dataFolders)) {
    const cases: JudgedCase[] = [];
    const record = await readCases(name, undefined, (line) => {
      const isOwn = line.suite === path || line.suite === evalFile;
      if (!isOwn || !sessionOf(link, line)) return;
      const { conversation: _conversation, facts: _facts, ...judged } = line;
      cases.push(judged);
    });
    const { run, state } = record;
    if (!run || cases.length === 0) continue;
    const gaps = gapsOf(record);
    const ended = state === 'finished' ? 'FAILED' : 'KILLED';
    const status = gaps.length === 0 ? 'FINISHED' : ended;
    return { run: { id: run.id, started: run.started, evalFile, cases, status }, gaps };
  }
  return undefined;
}
