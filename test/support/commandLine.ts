import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPILED } from '../../scripts/compiled.ts';
import { runProgram } from '../../src/cli/commands.ts';
import { Scrubber } from '../../src/core/scrubber.ts';
import { plainLog } from '../../src/core/text/visibleText.ts';
import { ownFolders } from './answersFolder.ts';
import { fakeShell } from './fakeShell.ts';

/** Path of the command line's program. */
export const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly ended: Promise<Ended>;
  /** Resolves when standard output or standard error contains the text. */
  shows(text: string): Promise<void>;
  interrupt(): void;
  send(signal: NodeJS.Signals): void;
}

/** The command line's environment. It contains no API keys and no Turnlight variables, except for the given ones. */
function variablesOf(folder: string, env: Readonly<Record<string, string>>) {
  const kept = ['PATH', 'HOME', 'SystemRoot', 'TEMP', 'TMP'];
  const inherited = Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  // Allowed hosts are stored in the folder, so they apply to later commands there.
  return { ...ownFolders(inherited), XDG_CONFIG_HOME: join(folder, '.config'), ...env };
}

/**
 * Starts the command line in its own process, to test signals, streams, exit codes, and the environment of programs.
 */
export function start(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { ...COMPILED, ...variablesOf(folder, env) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { out: '', err: '' };
  const waiting: { readonly text: string; readonly resolve: () => void }[] = [];
  const look = () => {
    for (const one of waiting) {
      if (text.out.includes(one.text) || text.err.includes(one.text)) one.resolve();
    }
  };
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text.out += more;
    look();
  });
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    text.err += more;
    look();
  });
  return {
    ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, ...text }))),
    shows: (wanted) =>
      new Promise((resolve) => {
        waiting.push({ text: wanted, resolve });
        look();
      }),
    interrupt: () => void child.kill('SIGINT'),
    send: (signal) => void child.kill(signal),
  };
}

/** Like `start`, but waits until the process ends. */
export function turnlightProcess(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return start(folder, args, env).ended;
}

/**
 * Runs the command line in the test's process. This is thirty times as fast as a separate process.
 *
 * @param env variables for the command; programs that it starts get the test's variables
 */
export async function turnlight(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  if ('NODE_OPTIONS' in env) throw new Error('Options of node need a process: turnlightProcess.');
  const variables: Record<string, string | undefined> = variablesOf(folder, env);
  const fileVariables: Record<string, string> = {};
  const scrubber = new Scrubber(variables);
  const { shell, text } = fakeShell(folder);
  const written = (name: 'out' | 'err') => ({
    ...shell[name],
    write: (more: string) => shell[name].write(plainLog(scrubber.text(more))),
    report: (more: string) => shell[name].write(plainLog(more)),
    command: (more: string) => shell[name].write(more),
  });
  const code = await runProgram(args, {
    ...shell,
    env: (name) => variables[name] ?? fileVariables[name],
    processEnv: (name) => variables[name],
    fileVariables,
    hostsFromFile: [],
    scrubber,
    out: written('out'),
    err: written('err'),
  });
  return { code, out: text.out, err: text.err };
}
