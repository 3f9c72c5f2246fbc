import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { CHECKOUT } from './host/install.ts';
import { workspaceWith } from './runs.ts';

/**
 * Packs the package for npm as it would be published, into its own folder. It must have been built with `npm run
 * package`.
 *
 * @returns the path of the tarball
 */
export async function pack(t: TestContext): Promise<string> {
  const folder = await workspaceWith(t, {});
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  await promisify(execFile)('npm', args, { cwd: CHECKOUT });
  const [name = ''] = await readdir(folder);
  return join(folder, name);
}
