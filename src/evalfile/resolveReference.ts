import { dirname, isAbsolute, resolve } from 'node:path';
import { isInside } from '../core/insideWorkspace.ts';
import type { Files } from './files.ts';

export type Resolved =
  | { readonly kind: 'outside' }
  | { readonly kind: 'missing' | 'found'; readonly path: string };

/**
 * Where a path in a file leads. It starts from the folder of the file that names it and may not leave
 * the workspace, by `..` or by a symbolic link.
 *
 * @param exists whether a path is what is looked for
 */
export async function resolveReference(
  reference: string,
  folder: string,
  workspace: string,
  files: Pick<Files, 'exists' | 'realPath'>,
  exists: (path: string) => Promise<boolean> = files.exists,
): Promise<Resolved> {
  if (isAbsolute(reference) || /^[A-Za-z]:[\\/]/.test(reference)) return { kind: 'outside' };
  const path = resolve(folder, reference);
  if (!isInside(path, workspace) || !(await isReallyInside(path, workspace, files))) {
    return { kind: 'outside' };
  }
  return { kind: (await exists(path)) ? 'found' : 'missing', path };
}

/** Whether a path stays in a folder once links are followed. */
export async function isReallyInside(
  path: string,
  folder: string,
  files: Pick<Files, 'realPath'>,
): Promise<boolean> {
  const home = await files.realPath(folder);
  // For a missing file, the nearest existing folder tells where it would be created.
  for (let there = path; there !== folder && there !== dirname(there); there = dirname(there)) {
    const real = await files.realPath(there);
    if (real !== there) return isInside(real, home);
  }
  return true;
}
