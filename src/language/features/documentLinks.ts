import { dirname } from 'node:path';
import type { DocumentLink } from 'vscode-languageserver-types';
import { isFileKind } from '../../core/meaning.ts';
import { resolveReference } from '../../evalfile/files.ts';
import type { EvalDocument, LanguagePorts } from '../ports.ts';
import { symbolsOf } from '../symbols/symbolTable.ts';

/** Links on the paths in an eval file: to files that are there, and to those that could be. */
export async function documentLinks(
  { yaml }: EvalDocument,
  ports: Pick<LanguagePorts, 'files' | 'uriOf' | 'workspaceOf'>,
): Promise<DocumentLink[]> {
  const looked = new Map<string, ReturnType<typeof linkedFile>>();
  const look = (reference: string) => {
    const known = looked.get(reference) ?? linkedFile(reference, yaml.path, ports);
    looked.set(reference, known);
    return known;
  };
  const paths = symbolsOf(yaml).symbols.flatMap(({ kind, references }) =>
    isFileKind(kind) ? references : [],
  );
  const links = await Promise.all(
    paths.map(async ({ range, text }): Promise<DocumentLink[]> => {
      const file = await look(text);
      if (!file) return [];
      const tooltip = file.exists ? 'Open the file' : 'Create the file';
      return [{ range, target: ports.uriOf(file.path), tooltip }];
    }),
  );
  return links.flat();
}

/**
 * The file that a path in another means, be it there or not yet; undefined if something else is
 * there, or if it leaves the workspace, also by a link.
 */
export async function linkedFile(
  reference: string,
  from: string,
  { files, workspaceOf }: Pick<LanguagePorts, 'files' | 'workspaceOf'>,
): Promise<{ readonly path: string; readonly exists: boolean } | undefined> {
  if (/[/\\]$/.test(reference)) return undefined;
  const found = await resolveReference(reference, dirname(from), workspaceOf(from), files);
  if (found.kind !== 'file' && found.kind !== 'missing') return undefined;
  return { path: found.path, exists: found.kind === 'file' };
}
