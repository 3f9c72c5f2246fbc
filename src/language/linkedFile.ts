import { dirname, resolve } from 'node:path';
import { isInside, staysInside } from '../evalfile/paths.ts';
import type { NamePorts } from './sameName.ts';

export type LinkPorts = Pick<NamePorts, 'files' | 'uriOf' | 'workspaceOf'>;

export interface LinkedFile {
  /** Absolute. */
  readonly path: string;
  /** False where it could be made. */
  readonly exists: boolean;
}

/** The file that a path in another means; undefined where it leaves the workspace, also by a link. */
export async function linkedFile(
  reference: string,
  from: string,
  { files, workspaceOf }: LinkPorts,
): Promise<LinkedFile | undefined> {
  const folder = dirname(from);
  const workspace = workspaceOf(from);
  if (!staysInside(reference, folder, workspace) || /[/\\]$/.test(reference)) return undefined;
  const path = resolve(folder, reference);
  const home = await files.realPath(workspace);
  // Of a file that is not there, the nearest folder that is tells where it would come to be.
  for (let there = path; there !== workspace; there = dirname(there)) {
    const real = await files.realPath(there);
    if (real !== there && !isInside(real, home)) return undefined;
    if (real !== there) break;
  }
  return { path, exists: await files.exists(path) };
}
