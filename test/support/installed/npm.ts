import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Installs a package once into a folder of its own.
 *
 * @param package_ `name@version`
 * @param home absolute; there only once all is installed
 * @param log told that it takes its time
 * @param further what else is to be done in the folder
 */
export async function installPackage(
  package_: string,
  home: string,
  log: (line: string) => void,
  further: (folder: string) => Promise<void> = async () => {},
): Promise<void> {
  if (existsSync(home)) return;
  log(`Installing ${package_}, once …`);
  const building = `${home}-${process.pid}`;
  await mkdir(building, { recursive: true });
  try {
    await writeFile(join(building, 'package.json'), '{ "private": true }\n');
    await npmInstall(building, package_);
    await further(building);
    // Whoever comes first wins; the other's copy is as good.
    await rename(building, home).catch((error: unknown) => {
      if (!existsSync(home)) throw error;
    });
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

/** Runs no package's scripts. */
export async function npmInstall(folder: string, ...args: string[]): Promise<void> {
  const command = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  await run('npm', [...command, ...args], {
    cwd: folder,
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    maxBuffer: 64 * 1024 * 1024,
  });
}
