import { dirname, extname, join, resolve } from 'node:path';
import { type Path, valueAt } from '../../../core/data.ts';
import { isInside } from '../../../evalfile/paths.ts';
import type { CompletionContext } from './context.ts';
import { type Choice, KINDS } from './items.ts';
import { knows } from './names.ts';
import type { Place } from './place.ts';

/** Which files a key can name, by the ends of their names; none where it names folders. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  prompt: ['.md'],
  transcript: ['.json', '.jsonl', '.yaml', '.yml'],
  include: ['.yaml', '.yml'],
  path: ['.js', '.mjs', '.ts'],
  recording: ['.jsonl'],
  cwd: [],
};

/** The files and folders that can follow what is typed of a path. */
export async function pathChoices(
  place: Place,
  file: string,
  { listFolder, workspace }: CompletionContext,
): Promise<Choice[]> {
  const kinds = filesAt(place.root, place.path);
  if (!kinds || !listFolder) return [];
  const typed = place.typed.slice(0, place.typed.lastIndexOf('/') + 1);
  const folder = resolve(dirname(file), typed);
  const root = workspace ?? dirname(file);
  if (typed.startsWith('/') || !isInside(folder, root)) return [];
  const entries = await listFolder(folder).catch(() => []);
  const fitting = entries.filter(
    ({ name, isFolder }) =>
      !name.startsWith('.') &&
      (isFolder
        ? name !== 'node_modules'
        : kinds.includes(extname(name)) && join(folder, name) !== file),
  );
  const shown = fitting.map(({ name, isFolder }) => ({
    name: isFolder ? `${name}/` : name,
    isFolder,
  }));
  if (folder !== root && /^(?:\.\.\/)*$/.test(typed)) shown.push({ name: '../', isFolder: true });
  return shown.map(({ name, isFolder }) => ({
    label: name,
    value: typed + name,
    kind: isFolder ? KINDS.folder : KINDS.file,
    rank: isFolder ? 6 : 5,
  }));
}

function filesAt(root: unknown, path: Path): readonly string[] | undefined {
  const last = path.at(-1);
  if (path[0] === 'include') return path.length === 2 ? FILES.include : undefined;
  if (typeof last !== 'string' || !knows(root, path)) return undefined;
  if (last === 'transcript') return FILES.transcript;
  const { provider, type } = Object(valueAt(root, path.slice(0, -1)));
  if (last === 'path' && provider !== undefined) return FILES.recording;
  return type !== undefined && Object.hasOwn(FILES, last) ? FILES[last] : undefined;
}
