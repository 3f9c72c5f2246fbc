import { dirname, resolve } from 'node:path';
import type { DocumentLink } from 'vscode-languageserver-types';
import { isInside, staysInside } from '../../evalfile/paths.ts';
import { namesFile, namesOf } from '../names.ts';
import type { EvalDocument } from '../ports.ts';
import type { NamePorts } from '../sameName.ts';

export type LinkPorts = Pick<NamePorts, 'files' | 'uriOf' | 'workspaceOf'>;

export interface LinkedFile {
  /** Absolute. */
  readonly path: string;
  /** False where it could be made. */
  readonly exists: boolean;
}

/** Links on the paths in an eval file: to files that are there, and to those that could be. */
export async function documentLinks(
  { yaml }: EvalDocument,
  ports: LinkPorts,
): Promise<DocumentLink[]> {
  const looked = new Map<string, Promise<LinkedFile | undefined>>();
  const look = (reference: string) => {
    const known = looked.get(reference) ?? linkedFile(reference, yaml.path, ports);
    looked.set(reference, known);
    return known;
  };
  const places = namesOf(yaml).names.flatMap(({ kind, uses }) => (namesFile(kind) ? uses : []));
  const links = await Promise.all(
    places.map(async ({ range, text }): Promise<DocumentLink[]> => {
      const file = await look(text);
      if (!file) return [];
      const tooltip = file.exists ? 'Open the file' : 'Make the file';
      return [{ range, target: ports.uriOf(file.path), tooltip }];
    }),
  );
  return links.flat();
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
