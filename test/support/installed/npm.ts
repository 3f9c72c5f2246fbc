import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Installs a package once into its own folder.
 *
 * @param package_ `name@version`
 * @param home absolute path; exists only if the installation is complete
 * @param log called with a message that the installation takes a while
 * @param further additional steps in the folder
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
    // If another process was faster, its copy is just as good.
    await rename(building, home).catch((error: unknown) => {
      if (!existsSync(home)) throw error;
    });
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

/** Runs npm install without the packages' scripts. */
export async function npmInstall(folder: string, ...args: string[]): Promise<void> {
  const command = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  await run('npm', [...command, ...args], {
    cwd: folder,
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    maxBuffer: 64 * 1024 * 1024,
  });
}
