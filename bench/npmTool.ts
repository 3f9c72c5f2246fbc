import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, complaintOf } from '../test/support/installed/cache.ts';
import { installPackage } from '../test/support/installed/npm.ts';
import { say } from './print.ts';

/** Why a tool couldn't be installed, as a sentence. */
export interface Missing {
  readonly missing: string;
}

/** Installs a tool if it isn't installed yet. @returns the path of its command's script */
export async function scriptOf(name: string, version: string): Promise<string | Missing> {
  const home = join(CACHE, 'peers', `${name}-${version}`);
  try {
    await installPackage(`${name}@${version}`, home, say);
    const folder = join(home, 'node_modules', name);
    const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return join(folder, bin[name]);
  } catch (error) {
    return { missing: `npm could not install ${name} ${version}: ${complaintOf(error)}` };
  }
}
