import { dirname, isAbsolute, resolve } from 'node:path';
import { isInside } from '../node/paths.ts';
import type { Files, PathKind } from './files.ts';

export type Resolved =
  | { readonly kind: 'outside' }
  | { readonly kind: PathKind | 'missing'; readonly path: string };

/**
 * Where a path in a file leads, and what stands there. It starts from the folder of the file that names
 * it and may not leave the workspace, by `..` or by a symbolic link.
 */
export async function resolveReference(
  reference: string,
  folder: string,
  workspace: string,
  files: Pick<Files, 'kindOf' | 'realPath'>,
): Promise<Resolved> {
  // What leaves the workspace on one system leaves it on all of them.
  const onWindows = reference.replaceAll('\\', '/');
  if (isAbsolute(onWindows) || /^[A-Za-z]:\//.test(onWindows)) return { kind: 'outside' };
  const path = resolve(folder, reference);
  const isIn =
    isInside(resolve(folder, onWindows), workspace) &&
    (await isReallyInside(path, workspace, files));
  return isIn ? { kind: (await files.kindOf(path)) ?? 'missing', path } : { kind: 'outside' };
}

/** Whether a path stays in a folder, also once links are followed. */
export async function isReallyInside(
  path: string,
  folder: string,
  files: Pick<Files, 'realPath'>,
): Promise<boolean> {
  if (!isInside(path, folder)) return false;
  // For a missing file, the nearest existing folder tells where it would be created.
  for (let there = path; there !== folder && there !== dirname(there); there = dirname(there)) {
    const real = await files.realPath(there);
    if (real !== there) return isInside(real, await files.realPath(folder));
  }
  return true;
}
