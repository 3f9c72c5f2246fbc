import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/**
 * The real VS Code for tests: the server build inside the npm package `code-server`, installed once
 * into a git-ignored cache. It is no dependency of the project, so that `npm ci` stays small.
 */
const VERSION = '4.139.1';

export const CHECKOUT = resolve(import.meta.dirname, '../../..');
export const CACHE = join(CHECKOUT, '.cache/vscode-host');

const run = promisify(execFile);

/** @returns the path of code-server's entry script, absolute */
export async function installHost(log: (line: string) => void = () => {}): Promise<string> {
  const home = join(CACHE, VERSION);
  const entry = join(home, 'node_modules/code-server/out/node/entry.js');
  if (existsSync(entry)) return entry;

  log(`Installing VS Code ${VERSION} for the tests, once …`);
  const building = join(CACHE, `${VERSION}-${process.pid}`);
  await mkdir(building, { recursive: true });
  try {
    await writeFile(join(building, 'package.json'), '{ "private": true }\n');
    await npm(building, `code-server@${VERSION}`);
    const workbench = join(building, 'node_modules/code-server/lib/vscode');
    // Compiles nothing: what watches files comes built, and only log files need what does not.
    await npm(workbench, '--omit=dev');
    await npm(join(workbench, 'extensions'), '--omit=dev');
    // Whoever comes first wins; the other's copy is as good.
    await rename(building, home).catch((error: unknown) => {
      if (!existsSync(entry)) throw error;
    });
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return entry;
}

async function npm(folder: string, ...args: string[]): Promise<void> {
  const command = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  await run('npm', [...command, ...args], {
    cwd: folder,
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    maxBuffer: 64 * 1024 * 1024,
  });
}

if (process.argv[1] === import.meta.filename) await installHost(console.log);
