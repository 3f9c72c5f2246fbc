import { dirname, extname, join } from 'node:path';
import { EXTENSIONS, isFileKind } from '../../core/meaning.ts';
import { resolveReference } from '../../evalfile/resolveReference.ts';
import { evalFileSchema } from '../../evalfile/schema.ts';
import { rolesAt } from '../../schema/mentions.ts';
import type { CompletionContext } from '../ports.ts';
import type { Cursor } from './cursor.ts';
import { type Choice, KINDS } from './items.ts';

/** The files and folders that can follow what is typed of a path. */
export async function pathChoices(
  { root: data, path, typed: before }: Cursor,
  file: string,
  { files, listFolder, workspace }: CompletionContext,
): Promise<Choice[]> {
  const kinds = rolesAt(evalFileSchema, data, path).flatMap(({ kind }) =>
    kind !== undefined && isFileKind(kind) ? [kind] : [],
  );
  if (kinds.length === 0 || !files || !listFolder) return [];
  const extensions = kinds.flatMap((kind) => EXTENSIONS[kind]);
  const typed = before.slice(0, before.lastIndexOf('/') + 1);
  const root = workspace ?? dirname(file);
  const found = await resolveReference(typed || '.', dirname(file), root, files);
  if (found.kind !== 'folder') return [];
  const folder = found.path;
  const entries = await listFolder(folder).catch(() => []);
  const fitting = entries.filter(
    ({ name, isFolder }) =>
      !name.startsWith('.') &&
      (isFolder
        ? name !== 'node_modules'
        : extensions.includes(extname(name)) && join(folder, name) !== file),
  );
  const names = fitting.map(({ name, isFolder }) => (isFolder ? `${name}/` : name));
  if (folder !== root && /^(?:\.\.\/)*$/.test(typed)) names.push('../');
  return names.map((name) => {
    const shown = name.endsWith('/') ? { kind: KINDS.folder, rank: 6 } : { kind: KINDS.file };
    return { label: name, value: typed + name, ...shown };
  });
}
