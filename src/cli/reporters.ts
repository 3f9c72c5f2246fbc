import { createWriteStream } from 'node:fs';
import { lstat, mkdir, open, realpath, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { uniqueBy } from '../core/data/data.ts';
import { isFailure } from '../core/scoring.ts';
import { toUnwritableError, type UnwritableError } from '../disk/fileErrors.ts';
import { type Layout, MARKDOWN, terminalLayout } from '../report/findings/layout.ts';
import {
  type FileReporterName,
  findReporter,
  REPORTERS,
  type ReporterName,
} from '../report/registry.ts';
import { RunLog } from '../report/reporter.ts';
import { createPaint } from '../report/style.ts';
import { TerminalReporter } from '../report/terminal.ts';
import type { RunEvent } from '../runner/events.ts';
import { UsageError } from './exitCode.ts';
import { type ChosenReporter, DEFAULT_REPORTERS } from './options.ts';
import { assertWritesInside } from './paths.ts';
import type { Shell, Stream } from './shell.ts';

export interface Reporters {
  event(event: RunEvent): void;
  /** Shows a line to the user during the run. */
  note(text: string): void;
  /** Writes the reports. @returns one error for each report that couldn't be written */
  finish(): Promise<readonly UnwritableError[]>;
}

interface Output {
  readonly name: FileReporterName;
  /** Absolute. Default: standard output. */
  readonly path?: string;
  /** Whether other programs also write to the file. */
  readonly appends?: boolean;
}

/**
 * If a reporter writes to standard output, the terminal's report goes to standard error.
 *
 * @param output the file for the last reporter that has none
 * @param taken files that the run itself reads or writes, absolute
 * @throws UsageError, UnwritableError
 */
export async function createReporters(
  chosen: readonly ChosenReporter[] | undefined,
  output: string | undefined,
  shell: Shell,
  taken: readonly string[] = [],
): Promise<Reporters> {
  const reporters = chosen ?? DEFAULT_REPORTERS;
  const outputs = outputsOf(reporters, output, shell);
  await assertApart(outputs, taken);
  for (const { path } of outputs) {
    if (path === undefined) continue;
    assertWritesInside(path, shell.folder);
    await assertWritable(path);
  }
  const usesOut = outputs.some(({ name, path }) => path === undefined && !isCommands(name));
  const needsAll = outputs.some(({ name }) => findReporter(name)?.covers !== 'failures');
  const log = new RunLog(needsAll ? undefined : isFailure, shell.scrubber);
  const terminal = reporters.some(({ name }) => name === 'terminal')
    ? createTerminal(usesOut ? shell.err : shell.out, shell, log)
    : undefined;
  const reports = await Promise.all(
    outputs.map(async (one) => ({ ...one, write: await REPORTERS[one.name].load() })),
  );

  return {
    event: (event) => (terminal ? terminal.event(event) : log.add(event)),
    note: (text) => {
      if (terminal) terminal.note(text);
      else shell.err.write(`${text}\n`);
    },
    finish: async () => {
      terminal?.finish();
      const failures: UnwritableError[] = [];
      for (const { write, ...one } of reports) {
        const { name, path, appends } = one;
        const pieces = write(log, folderOf(one, shell));
        if (path === undefined) {
          for (const text of pieces) shell.out[isCommands(name) ? 'command' : 'report'](text);
        } else {
          const file = createWriteStream(path, { flags: appends ? 'a' : 'w' });
          await pipeline(pieces, file).catch((error: unknown) =>
            failures.push(toUnwritableError('The report', path, error)),
          );
        }
      }
      return failures;
    },
  };
}

function outputsOf(
  chosen: readonly ChosenReporter[],
  output: string | undefined,
  shell: Shell,
): Output[] {
  const distinct = uniqueBy(chosen, ({ name, file }) => JSON.stringify([name, file]));
  const outputs = distinct.flatMap(({ name, file }): Output[] => {
    if (name !== 'terminal' && !isCommands(name)) {
      return [{ name, ...(file !== undefined && { path: resolve(shell.folder, file) }) }];
    }
    if (file !== undefined) throw new UsageError(`The reporter ${name} doesn't write to a file.`);
    return name === 'terminal' ? [] : [{ name }, ...stepSummary(name, shell)];
  });
  const withoutFile = outputs.filter(({ name, path }) => path === undefined && !isCommands(name));
  const last = withoutFile.at(-1);
  if (output !== undefined && !last) {
    throw new UsageError(
      '--output needs a reporter without a file of its own, such as --reporter json.',
    );
  }
  if (withoutFile.length > (output === undefined ? 1 : 2)) {
    throw new UsageError(
      "Two reporters can't share standard output. Give each a file, such as --reporter junit=evals.xml.",
    );
  }
  return outputs.map((one) =>
    one === last && output !== undefined ? { ...one, path: resolve(shell.folder, output) } : one,
  );
}

/** @param taken see `createReporters` @throws UsageError if files are the same */
async function assertApart(outputs: readonly Output[], taken: readonly string[]): Promise<void> {
  const ofRun = new Set(await Promise.all(taken.map(realPath)));
  const seen = new Set<string>();
  for (const { path } of outputs) {
    if (path === undefined) continue;
    const real = await realPath(path);
    if (ofRun.has(real))
      throw new UsageError(`The run uses ${path}. Write the report to another file.`);
    if (seen.has(real)) throw new UsageError(`Two reporters can't share the file ${path}.`);
    seen.add(real);
  }
}

/** Follows links, including those in the path of a file that doesn't exist yet. */
async function realPath(path: string): Promise<string> {
  return realpath(path).catch(async () =>
    join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path)),
  );
}

/** GitHub Actions shows this file's content on the run's page. */
function stepSummary(name: ReporterName, shell: Shell): Output[] {
  const path = name === 'github' ? shell.processEnv('GITHUB_STEP_SUMMARY') : undefined;
  return path ? [{ name: 'markdown', path: resolve(shell.folder, path), appends: true }] : [];
}

/**
 * The folder that paths in a report are relative to. For annotations and step summaries, GitHub expects the repository.
 */
function folderOf({ name, appends }: Output, shell: Shell): string {
  const ofGitHub = name === 'github' || appends;
  return (ofGitHub && shell.processEnv('GITHUB_WORKSPACE')) || shell.folder;
}

function isCommands(name: ReporterName): boolean {
  return findReporter(name)?.commands ?? false;
}

/**
 * Checks that a file can be written, without leaving an empty file behind.
 *
 * @throws UnwritableError before anything runs or costs money
 */
async function assertWritable(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, 'a');
    const { size } = await file.stat();
    await file.close();
    if (size === 0 && (await lstat(path)).isFile()) await unlink(path);
  } catch (error) {
    throw toUnwritableError('The report', path, error);
  }
}

function createTerminal(stream: Stream, shell: Shell, log: RunLog): TerminalReporter {
  const options = {
    write: (text: string) => stream.write(text),
    live: stream.isTty,
    colors: usesColors(stream, shell.env),
    size: () => stream.size(),
    folder: shell.folder,
    now: () => performance.now(),
  };
  return new TerminalReporter(options, log);
}

/** The layout of a report for standard output. */
export function layoutFor(format: Layout['kind'], { out, env }: Shell): Layout {
  return format === 'markdown' ? MARKDOWN : terminalLayout(createPaint(usesColors(out, env)));
}

/** Whether to write colors. According to https://no-color.org, any nonempty value of `NO_COLOR` turns them off. */
function usesColors(stream: Stream, env: Shell['env']): boolean {
  if (env('NO_COLOR')) return false;
  if (env('FORCE_COLOR')) return env('FORCE_COLOR') !== '0';
  return stream.isTty && env('TERM') !== 'dumb';
}
