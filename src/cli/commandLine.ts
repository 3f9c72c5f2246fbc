import { createInterface } from 'node:readline/promises';
import { Scrubber } from '../core/scrubber.ts';
import { plainLog } from '../core/text/visibleText.ts';
import { toUnwritableError } from '../disk/fileErrors.ts';
import { reportError, runProgram } from './commands.ts';
import { EXIT, type ExitCode } from './exitCode.ts';
import { limitYoungSpace } from './memory.ts';
import type { Shell, Stream } from './shell.ts';

function catchInterrupt(): AbortSignal {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(EXIT.cancelled);
    controller.abort(new Error('The run was canceled.'));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return controller.signal;
}

const scrubber = new Scrubber(process.env);

// If the terminal's size is unknown, it is reported as 0.
function streamOf(stream: NodeJS.WriteStream): Stream {
  return {
    write: (text) => void stream.write(plainLog(scrubber.text(text))),
    report: (text) => void stream.write(plainLog(text)),
    command: (text) => void stream.write(text),
    isTty: stream.isTTY === true,
    size: () => ({ columns: stream.columns || 80, rows: stream.rows || 24 }),
  };
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

/** Resolves once all written output has left the process. */
function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

const processEnv = (name: string) => process.env[name];
const fileVariables: Record<string, string> = Object.create(null);

const shell: Shell = {
  folder: process.cwd(),
  env: (name) => processEnv(name) ?? fileVariables[name],
  processEnv,
  fileVariables,
  hostsFromFile: [],
  scrubber,
  out: streamOf(process.stdout),
  err: streamOf(process.stderr),
  catchInterrupt,
  ...(process.stdin.isTTY && process.stderr.isTTY && { ask }),
};

let broken: Error | undefined;
for (const stream of [process.stdout, process.stderr]) {
  // `turnlight list | head -1` closes the pipe early. This is not an error.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') broken ??= error;
  });
}
/** Handles errors thrown while an error is being reported. Otherwise, Node would print them without hiding secrets. */
function lastResort(error: unknown): ExitCode {
  try {
    return reportError(error, shell);
  } catch {
    process.stderr.write(
      'Internal error. Please report it. Its message is not shown, because it could contain secrets.\n',
    );
    return EXIT.unwritten;
  }
}

// By default, Node would exit with the code of a failed case.
process.on('uncaughtException', (error) => process.exit(lastResort(error)));

limitYoungSpace();
const code = await runProgram(process.argv.slice(2), shell).catch(lastResort);
await Promise.all([drained(process.stdout), drained(process.stderr)]);
const failed = broken && reportError(toUnwritableError('The output', undefined, broken), shell);
// A client that waits to retry, or a target that doesn't exit, must not keep the process alive.
process.exit(code === EXIT.cancelled ? code : (failed ?? code));
