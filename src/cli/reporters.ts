import { mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type UnwritableError, unwritable } from '../disk/unwritable.ts';
import { JsonReporter } from '../report/json.ts';
import { JUnitReporter } from '../report/junit.ts';
import type { Reporter } from '../report/reporter.ts';
import { TerminalReporter } from '../report/terminal.ts';
import type { RunEvent } from '../runner/events.ts';
import { UsageError } from './exitCode.ts';
import type { ReporterName } from './reporterNames.ts';
import type { Shell, Stream } from './shell.ts';

/** The reporters of one run and where each writes. */
export interface Reporters {
  event(event: RunEvent): void;
  /** A line for the user while the run goes on. */
  note(text: string): void;
  /** Writes what is left to write. @returns what could not be written */
  finish(): Promise<readonly UnwritableError[]>;
}

interface FileReporter {
  readonly reporter: Reporter;
  /** Absolute; standard output without it. */
  readonly path?: string;
}

/**
 * `--output` belongs to the last reporter that writes a file; another one writes to standard output,
 * and the terminal's report then goes to standard error.
 *
 * @throws UsageError, UnwritableError
 */
export async function createReporters(
  names: readonly ReporterName[],
  output: string | undefined,
  shell: Shell,
): Promise<Reporters> {
  const chosen = new Set(names);
  const files = fileReporters([...chosen], output, shell.folder);
  const path = files.at(-1)?.path;
  if (path !== undefined) await assertWritable(path);
  const usesOut = files.some((file) => file.path === undefined);
  const terminal = chosen.has('terminal')
    ? createTerminal(usesOut ? shell.err : shell.out, shell)
    : undefined;
  const all = [...(terminal ? [terminal] : []), ...files.map(({ reporter }) => reporter)];

  return {
    event: (event) => {
      for (const reporter of all) reporter.event(event);
    },
    note: (text) => {
      if (terminal) terminal.note(text);
      else shell.err.write(`${text}\n`);
    },
    finish: async () => {
      terminal?.finish();
      const failures: UnwritableError[] = [];
      for (const { reporter, path } of files) {
        const text = reporter.finish() ?? '';
        if (path === undefined) shell.out.write(text);
        else
          await writeFile(path, shell.scrubber.text(text)).catch((error: unknown) =>
            failures.push(unwritableReport(path, error)),
          );
      }
      return failures;
    },
  };
}

function fileReporters(
  names: readonly ReporterName[],
  output: string | undefined,
  folder: string,
): FileReporter[] {
  const files = names.filter((name) => name !== 'terminal');
  if (output !== undefined && files.length === 0) {
    throw new UsageError('--output needs --reporter json or junit.');
  }
  if (files.length > 1 && output === undefined) {
    throw new UsageError('Two reporters cannot share standard output. Set a file with --output.');
  }
  return files.map((name, index) => ({
    reporter: name === 'json' ? new JsonReporter() : new JUnitReporter(folder),
    ...(output !== undefined && index === files.length - 1 && { path: resolve(folder, output) }),
  }));
}

/** Found out before anything is run or paid for. @throws UnwritableError */
async function assertWritable(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await (await open(path, 'a')).close();
  } catch (error) {
    throw unwritableReport(path, error);
  }
}

function unwritableReport(path: string, error: unknown): UnwritableError {
  return unwritable('The report', path, error);
}

function createTerminal(stream: Stream, shell: Shell): TerminalReporter {
  return new TerminalReporter({
    write: (text) => stream.write(text),
    live: stream.isTty,
    colours: coloursWanted(stream, shell.env),
    size: () => stream.size(),
    folder: shell.folder,
    now: () => performance.now(),
  });
}

/** https://no-color.org: any value but the empty one turns colours off. */
function coloursWanted(stream: Stream, env: Shell['env']): boolean {
  if (env('NO_COLOR')) return false;
  if (env('FORCE_COLOR')) return env('FORCE_COLOR') !== '0';
  return stream.isTty && env('TERM') !== 'dumb';
}
