import { resolve } from 'node:path';
import { counted } from '../../core/text/format.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { loadSuite } from '../../evalfile/load.ts';
import { nodeFiles } from '../../evalfile/nodeFiles.ts';
import { connectionOf, MlflowClient } from '../../interop/mlflow/client.ts';
import { type Link, sessionOf } from '../../interop/mlflow/folder.ts';
import { defaultEvalFile, pull as pullSessions } from '../../interop/mlflow/pull.ts';
import { type JudgedRun, push as pushRun, readLink } from '../../interop/mlflow/push.ts';
import { isEvalFile } from '../../node/paths.ts';
import { shownPath } from '../../report/style.ts';
import { findExistingDataFolders } from '../../store/dataFolder.ts';
import { recordsOf } from '../../store/records/files.ts';
import { readRecord } from '../../store/records/runRecord.ts';
import { EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import { fileWorkspace, findEvalFiles, workspaceOf } from '../paths.ts';
import type { Shell } from '../shell.ts';

interface PullOptions {
  readonly session?: readonly string[];
  readonly out?: string;
}

const PULL_FIRST = 'Pull an experiment first: turnlight mlflow pull EXPERIMENT';

/** Maximum number of notes to show. */
const MAX_NOTES = 10;

/** Pulls the sessions of an experiment into an eval file. @throws UsageError, ConnectionError, MlflowError */
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
    if (labels.people.length > 0) {
      print(`${counted(labels.added, 'new label')} of ${labels.people.join(', ')}.`);
    }
    const all = [
      ...notes,
      ...labels.unclear.map((one) => `${one} did not become a label: it is neither good nor bad.`),
    ];
    for (const note of all.slice(0, MAX_NOTES)) print(`- ${note}`);
    if (all.length > MAX_NOTES) print(`- and ${all.length - MAX_NOTES} more`);
    print(`Next: turnlight run ${file}, then turnlight mlflow push ${file}.`);
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
    for (const { file, link } of linked) {
      const shown = shownPath(file, shell.folder);
      const run = await newestRun(file, link);
      if (!run) {
        throw new UsageError(`${shown} has no run to push. Run it first: turnlight run ${shown}`);
      }
      const pushed = await pushRun(client, run, link);
      const known = pushed.known > 0 ? ` (${pushed.known} already existed)` : '';
      const line = `${shown}: ${counted(pushed.assessments, 'assessment')} on ${counted(pushed.sessions, 'session')}${known}, ${counted(pushed.metrics, 'metric')} in the evaluation run ${pushed.runId} of "${link.experiment.name}".`;
      shell.out.write(`${visibleLine(line)}\n`);
    }
  });
}

async function withClient(
  shell: Shell,
  work: (client: MlflowClient) => Promise<void>,
): Promise<ExitCode> {
  const connection = connectionOf(shell.env, shell.scrubber);
  const signal = shell.catchInterrupt();
  try {
    await work(new MlflowClient(connection, signal));
    return EXIT.passed;
  } catch (error) {
    if (signal.aborted) return EXIT.cancelled;
    throw error;
  }
}

/** The newest run with cases that have sessions. */
async function newestRun(evalFile: string, link: Link): Promise<JudgedRun | undefined> {
  const dataFolders = findExistingDataFolders(evalFile);
  const { path } = dataFolders;
  for (const record of await recordsOf(dataFolders)) {
    const { run, cases } = await readRecord(record);
    const own = cases.filter(
      (line) => (line.suite === path || line.suite === evalFile) && sessionOf(link, line),
    );
    if (run && own.length > 0) return { id: run.id, started: run.started, evalFile, cases: own };
  }
  return undefined;
}
