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
  const leaves = { code: 'path-outside' as const, message: outsideMessage(reference) };
  if (!staysInside(reference, folder, workspace)) return leaves;
  const path = resolve(folder, reference);
  if (!(await files.exists(path))) {
    return { code: 'file-missing', message: `There is no file "${reference}" here.` };
  }
  const real = await files.realPath(path);
  if (!isInside(real, await files.realPath(workspace))) return leaves;
  return { path };
}

/** Whether a path, as it is written, stays in the workspace; links are another matter. */
export function staysInside(reference: string, folder: string, workspace: string): boolean {
  if (isAbsolute(reference) || /^[A-Za-z]:[\\/]/.test(reference)) return false;
  return isInside(resolve(folder, reference), workspace);
}

export function outsideMessage(reference: string): string {
  return `"${reference}" leaves the workspace folder. Paths start from this file's folder and stay inside.`;
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
