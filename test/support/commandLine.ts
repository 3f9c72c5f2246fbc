import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPILED } from '../../scripts/compiled.ts';
import { runProgram } from '../../src/cli/commands.ts';
import { Scrubber } from '../../src/core/scrubber.ts';
import { plainLog } from '../../src/core/text/visibleText.ts';
import { ownFolders } from './answersFolder.ts';
import { fakeShell } from './fakeShell.ts';

/** The program of the command line. */
export const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly ended: Promise<Ended>;
  /** Resolves once standard output or error holds the text. */
  shows(text: string): Promise<void>;
  interrupt(): void;
  send(signal: NodeJS.Signals): void;
}

/** What a command line knows of its environment: no key and no variable of ours but those given. */
function variablesOf(folder: string, env: Readonly<Record<string, string>>) {
  const kept = ['PATH', 'HOME', 'SystemRoot', 'TEMP', 'TMP'];
  const inherited = Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  // What is allowed lasts from one command in the folder to the next.
  return { ...ownFolders(inherited), XDG_CONFIG_HOME: join(folder, '.config'), ...env };
}

/** The command line as a process of its own, for tests of signals, streams, exit codes and variables of programs. */
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

/** As `start`, until it ends. */
export function turnlightProcess(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return start(folder, args, env).ended;
}

/**
 * Runs a command line in the process of the test, thirty times as fast as in one of its own.
 *
 * @param env what the command sees; the programs that it starts see the variables of the test
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
