import { dirname, join, relative, sep } from 'node:path';
import type { Path } from '../../../core/data.ts';
import type { EvalDocument } from '../../ports.ts';
import type { CodeActionPorts } from './actions.ts';

/** Where the cursor stands, for what can be done with the thing there. */
export interface CursorPlace {
  readonly document: EvalDocument;
  readonly uri: string;
  /** Of the innermost value or key under the cursor. */
  readonly path: Path;
  readonly ports: CodeActionPorts;
}

/** The path of the case around the cursor. */
export function casePath({ path }: CursorPlace): Path | undefined {
  return path[0] === 'cases' && typeof path[1] === 'number' ? path.slice(0, 2) : undefined;
}

/** Letters, digits and `-`, from the first words of a text. */
export function slug(text: string, fallback: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.slice(0, 6).join('-') || fallback;
}

/** A name that is not taken: `judge`, `judge-2`. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name}-${number}`)) number += 1;
  return `${name}-${number}`;
}

/** A path beside the eval file at which there is no file yet, and how the eval file names it. */
export async function freeFile(
  { document, ports }: CursorPlace,
  folder: string,
  name: string,
  extension: string,
): Promise<{ readonly path: string; readonly reference: string }> {
  const home = dirname(document.yaml.path);
  for (let number = 1; ; number += 1) {
    const path = join(home, folder, `${name}${number === 1 ? '' : `-${number}`}${extension}`);
    if (await ports.exists(path)) continue;
    return { path, reference: `./${relative(home, path).split(sep).join('/')}` };
  }
}
