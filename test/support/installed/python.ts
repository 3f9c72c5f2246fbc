import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE, complaintOf } from './cache.ts';

const run = promisify(execFile);

/** Milliseconds that an install may take. */
const INSTALLING = 600_000;

/**
 * Makes a virtual environment once for a file of requirements.
 *
 * @param name its folder in the cache
 * @param log told that it takes its time
 * @returns the folder of its programs, or why there is none
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
  await rm(folder, { recursive: true, force: true });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  try {
    await run(python, ['-m', 'venv', folder], { timeout: INSTALLING });
    await run(join(bin, 'python'), [...pip, '-r', requirements], { timeout: INSTALLING });
  } catch (error) {
    return { missing: `pip could not install it: ${complaintOf(error)}` };
  }
  await writeFile(join(folder, 'installed'), '');
  return bin;
}
