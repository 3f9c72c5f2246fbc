import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { COMPILED } from '../../scripts/compiled.ts';
import { ownFolders } from './answersFolder.ts';

/** The program of the command line. */
export const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** A temporary folder with these files, gone after the test. */
export async function workspaceWith(
  t: Pick<TestContext, 'after'>,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-cli-')));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

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

/** The command line as a process of its own, with no key and no variable of ours but those given. */
export function start(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Running {
  const kept = ['PATH', 'HOME', 'SystemRoot', 'TEMP', 'TMP'];
  const inherited = Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    // What is allowed lasts from one command in the folder to the next.
    env: {
      ...ownFolders({ ...inherited, ...COMPILED }),
      XDG_CONFIG_HOME: join(folder, '.config'),
      ...env,
    },
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

export function turnlight(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return start(folder, args, env).ended;
}
