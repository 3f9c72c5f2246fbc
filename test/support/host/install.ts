import { join, resolve } from 'node:path';
import { CACHE as INSTALLED } from '../installed/cache.ts';
import { installPackage, npmInstall } from '../installed/npm.ts';

/**
 * Version of the real VS Code for tests: the server build in the npm package `code-server`, installed once into a
 * git-ignored cache. It isn't a dependency of the project, which keeps `npm ci` small.
 */
const VERSION = '4.139.1';

export const CHECKOUT = resolve(import.meta.dirname, '../../..');
export const CACHE = join(INSTALLED, 'vscode-host');

/** Installs code-server if needed. @returns the absolute path of its entry script */
export async function installHost(log: (line: string) => void = () => {}): Promise<string> {
  const home = join(CACHE, VERSION);
  const entry = join(home, 'node_modules/code-server/out/node/entry.js');
  await installPackage(`code-server@${VERSION}`, home, log, async (folder) => {
    const workbench = join(folder, 'node_modules/code-server/lib/vscode');
    // Compiles nothing: the file watcher is prebuilt, and only log files need modules that aren't.
    await npmInstall(workbench, '--omit=dev');
    await npmInstall(join(workbench, 'extensions'), '--omit=dev');
  });
  return entry;
}

if (process.argv[1] === import.meta.filename) await installHost(console.log);
