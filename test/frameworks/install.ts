import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { FRAMEWORKS as TESTED } from '../../scripts/docs/frameworks.ts';
import { sha256 } from '../../src/node/hashes.ts';
import { CHECKOUT } from '../support/host/install.ts';
import { installedPython } from '../support/installed/python.ts';

export const FRAMEWORKS = join(CHECKOUT, 'test/frameworks');
const INSTALLED = join(CHECKOUT, '.cache/frameworks');

const run = promisify(execFile);

interface Packages {
  readonly name: string;
  readonly isPython: boolean;
}

/** The packages of MCP's reference servers. */
export const MCP: Packages = { name: 'mcp', isPython: false };

/** The folder with a framework's packages. They are installed once for each list of packages. */
export async function install({ name, isPython }: Packages): Promise<string> {
  if (isPython) {
    const bin = await installedPython(
      `frameworks/${name}`,
      join(FRAMEWORKS, name, 'requirements.txt'),
    );
    if (typeof bin !== 'string') throw new Error(`${name}: ${bin.missing}`);
    return dirname(bin);
  }
  const list = join(FRAMEWORKS, name, 'package.json');
  const folder = join(INSTALLED, `${name}-${sha256(await readFile(list)).slice(0, 8)}`);
  const done = join(folder, 'installed');
  if (await stat(done).catch(() => undefined)) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(list, join(folder, 'package.json'));
  await run('npm', ['install', '--no-save', '--silent'], { cwd: folder });
  await writeFile(done, '');
  return folder;
}

// Runs before the test files, which share packages. A failed installation is reported by the tests that need it.
if (process.argv[1] === import.meta.filename) {
  await Promise.allSettled([...TESTED, MCP].map(install));
}
