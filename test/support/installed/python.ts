import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE, complaintOf } from './cache.ts';

const run = promisify(execFile);

/** Maximum duration of an installation, in milliseconds. */
const INSTALLING = 600_000;

/** Installs packages about ten times as fast as pip, and shares them between environments. */
const UV = 'uv==0.13.9';

const PIP = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];

/**
 * Creates a virtual environment, once per requirements file.
 *
 * @param name name of its folder in the cache
 * @param log called with a message that the installation takes a while
 * @returns the folder of its programs, or the reason why there is none
 */
export async function installedPython(
  name: string,
  requirements: string,
  log: (line: string) => void = () => {},
): Promise<string | { readonly missing: string }> {
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const folder = join(CACHE, name, digest.slice(0, 16));
  const bin = join(folder, 'bin');
  const done = await stat(join(folder, 'installed')).catch(() => undefined);
  if (done) return bin;
  const python = ['python3', 'python'].find(
    (one) => spawnSync(one, ['-m', 'pip', '--version']).status === 0,
  );
  if (!python) return { missing: 'there is no Python with pip' };
  log(`Installing ${name}, once …`);
  try {
    await withUv(python, folder, requirements).catch(() => withPip(python, folder, requirements));
  } catch (error) {
    return { missing: `pip could not install it: ${complaintOf(error)}` };
  }
  await writeFile(join(folder, 'installed'), '');
  return bin;
}

async function withPip(python: string, folder: string, requirements: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await run(python, ['-m', 'venv', folder], { timeout: INSTALLING });
  await run(join(folder, 'bin/python'), [...PIP, '-r', requirements], { timeout: INSTALLING });
}

async function withUv(python: string, folder: string, requirements: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const uv = await installedUv(python);
  const options = { timeout: INSTALLING, env: uvEnvironment() };
  await run(uv, ['venv', '--quiet', '--python', python, folder], options);
  const into = ['--python', join(folder, 'bin/python')];
  await run(uv, ['pip', 'install', '--quiet', ...into, '-r', requirements], options);
}

/** Installs uv once, with pip. @returns the path of its program */
async function installedUv(python: string): Promise<string> {
  const home = join(CACHE, UV);
  if (!existsSync(home)) {
    await mkdir(CACHE, { recursive: true });
    const building = await mkdtemp(`${home}-`);
    await run(python, [...PIP, '--target', building, UV], { timeout: INSTALLING });
    // If another process was faster, its copy is just as good.
    await rename(building, home).catch((error: unknown) => {
      if (!existsSync(home)) throw error;
      return rm(building, { recursive: true });
    });
  }
  return join(home, 'bin/uv');
}

/** uv doesn't read pip's settings. */
function uvEnvironment(): NodeJS.ProcessEnv {
  const { PIP_CERT, PIP_INDEX_URL } = process.env;
  return {
    ...(PIP_CERT && { SSL_CERT_FILE: PIP_CERT }),
    ...(PIP_INDEX_URL && { UV_DEFAULT_INDEX: PIP_INDEX_URL }),
    UV_CACHE_DIR: join(CACHE, 'uv-cache'),
    ...process.env,
  };
}
