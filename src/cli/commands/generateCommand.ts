import { resolve } from 'node:path';
import { ReasonedError } from '../../core/errors.ts';
import { visibleWarnings } from '../../core/logger.ts';
import { counted } from '../../core/text/format.ts';
import { visibleText } from '../../core/text/visibleText.ts';
import { nodeFiles } from '../../evalfile/nodeFiles.ts';
import type { GivenFile } from '../../interop/generateFile.ts';
import { writeEvalFile } from '../../interop/importedFiles.ts';
import { evalFilePaths } from '../../interop/importFile.ts';
import { shownPath } from '../../report/style.ts';
import { readDotenv } from '../dotenv.ts';
import { EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import { allowedHostsOf } from '../hosts.ts';
import { JUDGE_VARIABLE, type RunCommandOptions } from '../options.ts';
import { assertWritesInside, fileWorkspace, resolveRecordings, workspaceOf } from '../paths.ts';
import type { Shell } from '../shell.ts';
import { assertAbsent, entryLines, readGiven, type WritingOptions } from './importCommand.ts';

interface GenerateOptions
  extends WritingOptions,
    Pick<RunCommandOptions, 'record' | 'replay' | 'baseUrl' | 'allowHost' | 'dotenv'> {
  readonly system?: string;
  readonly model?: string;
  readonly count: number;
}

/** Problems that the user has to fix before the model can be called. */
const USAGE_REASONS = ['host-not-allowed', 'not-encrypted', 'not-found'];

/** Has a model draft cases. Exits with 2 if the model is unavailable or refuses. @throws UsageError, UnwritableError */
export async function generate(
  args: readonly string[],
  options: GenerateOptions,
  shell: Shell,
): Promise<ExitCode> {
  const { system: prompt, force = false } = options;
  const recordings = resolveRecordings(options, shell.folder);
  const [named = prompt] = args;
  if (named === undefined) {
    throw new UsageError('Pass files with conversations, or a system prompt with --system.');
  }
  if (options.dotenv !== undefined) await readDotenv(options.dotenv, shell);
  const name = options.model ?? shell.env(JUDGE_VARIABLE);
  if (name === undefined) {
    throw new UsageError('Pass a model to draft the cases, such as --model openai:gpt-5-mini.');
  }
  const given = (one: string) => readGiven(resolve(shell.folder, one), shell);
  const system = prompt === undefined ? undefined : await given(prompt);
  const conversations: GivenFile[] = [];
  for (const arg of args) conversations.push(await given(arg));
  const output = options.output === undefined ? undefined : resolve(shell.folder, options.output);
  const [path = ''] = evalFilePaths(resolve(shell.folder, named), 1, output);
  const files = nodeFiles();
  assertWritesInside(path, shell.folder);
  if (!force) await assertAbsent([path], files, shell);

  const [{ withModel }, { generateFile }] = await Promise.all([
    import('../../runner/oneModel.ts'),
    import('../../interop/generateFile.ts'),
  ]);
  const host = {
    secret: async (variable: string) => shell.env(variable),
    env: shell.env,
    scrubber: shell.scrubber,
    allowedHosts: await allowedHostsOf(options.allowHost ?? [], shell),
    log: visibleWarnings((message) => shell.err.write(`${message}\n`)),
  };
  const place = {
    path,
    files,
    workspace: fileWorkspace(path, workspaceOf(shell.folder)),
    env: shell.env,
  };
  const { count, baseUrl } = options;
  assertPublic(baseUrl);
  const wanted = { count, judge: { id: name, ...(baseUrl !== undefined && { baseUrl }) } };
  const signal = shell.catchInterrupt();
  try {
    const asked = { name, baseUrl, ...recordings };
    const made = await withModel(asked, host, (model) =>
      generateFile({ system, conversations }, model, wanted, place, shell.scrubber, signal),
    );
    if (made.cases > 0) await writeEvalFile(path, made.text, force);
    const shown = shownPath(resolve(shell.folder, named), shell.folder);
    for (const line of entryLines(shown, made.entries)) shell.out.write(`${line}\n`);
    const written = made.cases > 0 ? ` in ${shownPath(path, shell.folder)}` : '';
    shell.out.write(`${counted(made.cases, 'drafted case')}${written}.\n`);
    return made.entries.some(({ broken }) => broken) ? EXIT.invalid : EXIT.passed;
  } catch (error) {
    if (signal.aborted) return EXIT.cancelled;
    if (!isModelError(error) || USAGE_REASONS.includes(error.reason)) throw error;
    shell.err.write(`${visibleText(error.message)}\n`);
    return EXIT.errored;
  }
}

function isModelError(error: unknown): error is ReasonedError<string> {
  return error instanceof ReasonedError && ['ModelError', 'DraftError'].includes(error.name);
}

/** Checks that an address can be written into an eval file. @throws UsageError, without the address */
function assertPublic(address = ''): void {
  const { username, password, search } = URL.canParse(address) ? new URL(address) : {};
  if (!username && !password && !search) return;
  throw new UsageError(
    '--base-url: the address is written into the eval file, so it must not contain a user name, a password, or a query. Put the key into the variable that the provider uses.',
  );
}
