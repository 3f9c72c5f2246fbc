import { isAbsolute, resolve, sep } from 'node:path';
import type { Files } from './files.ts';

export type ResolvedPath =
  | { readonly path: string }
  | { readonly code: 'path-outside' | 'file-missing'; readonly message: string };

/**
 * A path in a file, made absolute. It starts from the folder of the file that names it and may not
 * leave the workspace, by `..` or by a symbolic link.
 */
export async function resolvePath(
  reference: string,
  folder: string,
  workspace: string,
  files: Files,
): Promise<ResolvedPath> {
  const outside = {
    code: 'path-outside' as const,
    message: `"${reference}" leaves the workspace folder. Paths start from this file's folder and stay inside.`,
  };
  if (isAbsolute(reference) || /^[A-Za-z]:[\\/]/.test(reference)) return outside;
  const path = resolve(folder, reference);
  if (!isInside(path, workspace)) return outside;
  if (!(await files.exists(path))) {
    return { code: 'file-missing', message: `There is no file "${reference}" here.` };
  }
  const real = await files.realPath(path);
  if (!isInside(real, await files.realPath(workspace))) return outside;
  return { path };
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
