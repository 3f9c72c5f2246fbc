import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, complaintOf } from '../../../test/support/installed/cache.ts';
import { installPackage } from '../../../test/support/installed/npm.ts';
import { say } from '../../print.ts';
import type { Load, Subject } from '../subjects.ts';

/** Another tool, one subject for each way to use it, or why it is not there. */
export type Found = readonly Subject[] | { readonly missing: string };

/** What each tool's judge is asked: what our assertions ask, in few words. */
const CRITERIA = [
  { name: 'completeness', text: 'Did the assistant do everything that the user asked for?' },
  { name: 'relevancy', text: 'Is each reply of the assistant relevant to what was said before?' },
];

export function criteriaOf({ judged }: Load) {
  return CRITERIA.slice(0, judged);
}

/**
 * Installs a tool once.
 *
 * @param subjects of the script of its command
 */
export async function fromNpm(
  name: string,
  version: string,
  subjects: (script: string) => readonly Subject[],
): Promise<Found> {
  const home = join(CACHE, 'peers', `${name}-${version}`);
  try {
    await installPackage(`${name}@${version}`, home, say);
    const folder = join(home, 'node_modules', name);
    const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return subjects(join(folder, bin[name]));
  } catch (error) {
    return { missing: `npm could not install ${name} ${version}: ${complaintOf(error)}` };
  }
}
