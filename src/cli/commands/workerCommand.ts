import type { AllowedHost } from '../../core/environment.ts';
import { visibleWarnings } from '../../core/logger.ts';
import { executionTitle, STATUS_WORDS } from '../../core/presentation/words.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { shownPath } from '../../report/style.ts';
import { forbiddenHosts, missingKeys } from '../../runner/models.ts';
import { answersFolder } from '../../store/answers.ts';
import { traceSecretFile } from '../../store/traceToken.ts';
import { readDotenv } from '../dotenv.ts';
import { EXIT, type ExitCode } from '../exitCode.ts';
import { allowedHostsOf } from '../hosts.ts';
import { queueAddress, type RunCommandOptions } from '../options.ts';
import { workspaceOf } from '../paths.ts';
import { reportProblems } from '../problems.ts';
import type { Shell } from '../shell.ts';
import { loadSuites } from '../suites.ts';
import { ownVersion } from '../version.ts';

interface WorkerOptions
  extends Pick<RunCommandOptions, 'judge' | 'dotenv' | 'baseUrl' | 'allowHost' | 'concurrency'> {
  readonly queue: string | true;
}

/** Runs cases for other machines until the user stops it. @throws UsageError, QueueError */
export async function work(options: WorkerOptions, shell: Shell): Promise<ExitCode> {
  if (options.dotenv !== undefined) await readDotenv(options.dotenv, shell);
  const url = queueAddress(options.queue, shell);
  const allowedHosts = await allowedHostsOf(options.allowHost ?? [], shell);
  const { serveQueue } = await import('../../queue/queue.ts');
  const report = (text: string) => shell.err.write(`${visibleLine(text)}\n`);
  const signal = shell.catchInterrupt();
  signal.addEventListener('abort', () =>
    report('Finishing the current cases. Press Ctrl+C again to leave them to other workers.'),
  );
  await serveQueue({
    url,
    version: ownVersion(),
    root: workspaceOf(shell.folder),
    concurrency: options.concurrency,
    answersFolder: answersFolder(shell.processEnv),
    traceSecretFile: traceSecretFile(shell.processEnv),
    load: (path) => loadLocally(path, options, allowedHosts, shell),
    secret: async (name) => shell.env(name),
    env: shell.env,
    programVariables: shell.fileVariables,
    allowedHosts,
    scrubber: shell.scrubber,
    log: visibleWarnings(report),
    signal,
    report,
    onCase: (line) =>
      report(
        `${STATUS_WORDS[line.status]} ${shownPath(line.suite, shell.folder)}: ${executionTitle(line)}`,
      ),
  });
  return EXIT.passed;
}

/** @returns the suite and its files, or why its cases can't run here */
async function loadLocally(
  path: string,
  options: WorkerOptions,
  allowedHosts: readonly AllowedHost[],
  shell: Shell,
) {
  const [loaded] = await loadSuites([path], shell, options);
  if (!loaded?.suite) return `${shownPath(path, shell.folder)} can't run on this machine.`;
  let problems = '';
  const isBroken = reportProblems([loaded], shell.folder, (text) => {
    problems += text;
  });
  if (isBroken) return problems;
  const { suite, dependencies } = loaded;
  const host = { secret: async (name: string) => shell.env(name), env: shell.env, allowedHosts };
  const [forbidden] = await forbiddenHosts(suite.cases, host);
  if (forbidden) return forbidden.message;
  const [missing] = await missingKeys(suite.cases, host);
  if (missing) return `${missing.variable} is not set. ${missing.model.id} needs it.`;
  return { suite, files: dependencies };
}
