import { resolve } from 'node:path';
import { ReasonedError } from '../../core/errors.ts';
import { counted } from '../../core/presentation/amounts.ts';
import { visibleWarnings } from '../../core/presentation/visibleLog.ts';
import { visibleText } from '../../core/presentation/visibleText.ts';
import { nodeFiles } from '../../evalfile/nodeFiles.ts';
import { evalFilePaths } from '../../interop/evalFilePaths.ts';
import type { GivenFile } from '../../interop/generateFile.ts';
import { shownPath } from '../../report/shownPath.ts';
import { readDotenv } from '../dotenv.ts';
import { fileWorkspace, workspaceOf } from '../evalFiles.ts';
import { EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import { allowedHostsOf } from '../hosts.ts';
import { assertNoLinkOut } from '../linksOut.ts';
import { type Recordings, recordingsOf } from '../recordings.ts';
import type { Shell } from '../shell.ts';
import { assertFree, readGiven, save, tellEntries } from './importCommand.ts';

export interface GenerateOptions extends Recordings {
  readonly system?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly allowHost?: readonly string[];
  readonly dotenv?: string;
  readonly count: number;
  readonly output?: string;
  readonly force?: boolean;
}

/** What the user has to put right before anything can be asked. */
const USAGE = ['host-not-allowed', 'not-encrypted', 'not-found'];

/** Drafts cases by a model. A model that is down or refuses exits with 2. @throws UsageError, UnwritableError */
export async function generate(
  args: readonly string[],
  options: GenerateOptions,
  shell: Shell,
): Promise<ExitCode> {
  const { system: prompt, force = false } = options;
  const recordings = recordingsOf(options, shell.folder);
  const [named = prompt] = args;
  if (named === undefined) {
    throw new UsageError('Name files of conversations, or the system prompt by --system.');
  }
  if (options.dotenv !== undefined) await readDotenv(options.dotenv, shell);
  const name = options.model ?? shell.env('TURNLIGHT_JUDGE');
  if (name === undefined) {
    throw new UsageError('Name the model that drafts, such as --model openai:gpt-5-mini.');
  }
  const given = (one: string) => readGiven(resolve(shell.folder, one), shell);
  const system = prompt === undefined ? undefined : await given(prompt);
  const conversations: GivenFile[] = [];
  for (const arg of args) conversations.push(await given(arg));
  const output = options.output === undefined ? undefined : resolve(shell.folder, options.output);
  const [path = ''] = evalFilePaths(resolve(shell.folder, named), 1, output);
  const files = nodeFiles();
  assertNoLinkOut(path, shell.folder);
  if (!force) await assertFree([path], files, shell);

  const [{ withModel }, { generateFile }] = await Promise.all([
    import('../../runner/oneModel.ts'),
    import('../../interop/generateFile.ts'),
  ]);
  const tell = (message: string) => void shell.err.write(`${message}\n`);
  const host = {
    secret: async (variable: string) => shell.env(variable),
    env: shell.env,
    scrubber: shell.scrubber,
    allowedHosts: await allowedHostsOf(options.allowHost ?? [], shell),
    log: visibleWarnings(tell),
  };
  const place = {
    path,
    files,
    workspace: fileWorkspace(path, workspaceOf(shell.folder)),
    env: shell.env,
  };
  const { count, baseUrl } = options;
  const wanted = { count, judge: { id: name, ...(baseUrl !== undefined && { baseUrl }) } };
  const signal = shell.catchInterrupt();
  try {
    const asked = { name, baseUrl, ...recordings };
    const made = await withModel(asked, host, (model) =>
      generateFile({ system, conversations }, model, wanted, place, signal),
    );
    if (made.cases > 0) await save(path, made.text, force);
    tellEntries(shownPath(resolve(shell.folder, named), shell.folder), made.entries, shell);
    const written = made.cases > 0 ? ` in ${shownPath(path, shell.folder)}` : '';
    shell.out.write(`${counted(made.cases, 'drafted case')}${written}.\n`);
    return made.entries.some(({ broken }) => broken) ? EXIT.invalid : EXIT.passed;
  } catch (error) {
    if (signal.aborted) return EXIT.cancelled;
    if (!isOfModel(error) || USAGE.includes(error.reason)) throw error;
    shell.err.write(`${visibleText(error.message)}\n`);
    return EXIT.errored;
  }
}

function isOfModel(error: unknown): error is ReasonedError<string> {
  return error instanceof ReasonedError && ['ModelError', 'DraftError'].includes(error.name);
}
