import { valueAt } from '../core/data.ts';
import type { Position } from '../core/problem.ts';
import type { Files } from '../evalfile/files.ts';
import { type FileNames, type Name, type NameKind, namesFile, type Place } from './name.ts';
import { namesOf, promptNames } from './names.ts';
import { contains } from './place.ts';
import type { EvalDocument } from './ports.ts';

/** What lies around a document whose names are looked up. Paths are absolute. */
export interface NamePorts {
  /** Every eval file that is open or that the workspace holds, and those they include. */
  readonly documents: readonly EvalDocument[];
  readonly files: Pick<Files, 'exists' | 'realPath'>;
  /** The text of a prompt, as it is typed rather than as it is saved; undefined where there is none. */
  readText(path: string): Promise<string | undefined>;
  uriOf(path: string): string;
  /** The folder that the paths in a file may not leave. */
  workspaceOf(path: string): string;
}

export interface FoundName {
  readonly file: FileNames;
  readonly name: Name;
}

/** A name under the cursor, and the place of it that the cursor is on. */
export interface PointedName extends FoundName {
  readonly place: Place;
}

/** The name at a place of an eval file or of a prompt. */
export async function nameAt(
  path: string,
  position: Position,
  ports: Pick<NamePorts, 'documents' | 'readText'>,
): Promise<PointedName | undefined> {
  const document = ports.documents.find(({ yaml }) => yaml.path === path);
  if (document) return pointed(namesOf(document.yaml), position);
  const text = await ports.readText(path);
  return text === undefined ? undefined : pointed(promptNames(text, path), position);
}

function pointed(file: FileNames, position: Position): PointedName | undefined {
  const isHere = ({ range }: Place) => contains(range, position);
  for (const name of file.names) {
    const place = name.declarations.find(isHere) ?? name.uses.find(isHere);
    if (place) return { file, name, place };
  }
  return undefined;
}

/**
 * Everything that stands for the same thing, over all files: an included file's models are those of
 * the suites that include it, a prompt's `{{context.city}}` is a key of each case that it judges.
 * The name itself comes first.
 */
export async function sameNames(start: FoundName, ports: NamePorts): Promise<FoundName[]> {
  const { kind, name } = start.name;
  const web = new Web(ports.documents);
  if (kind === 'variable' || kind === 'model') await web.readPrompts(ports);
  if (namesFile(kind)) return web.filesNamed(name);
  const spot = { path: start.file.path, scope: start.name.scope };
  const around = AROUND[kind];
  const found = around
    ? web.reach(start.name, spot, around).flatMap((one) => web.find(one, start.name))
    : [];
  return [start, ...found.filter((one) => one.name !== start.name)];
}

/** A part of a file in which a name means one thing: as the scope of a `Name`. */
interface Spot {
  readonly path: string;
  readonly scope: string;
}

type Around = (web: Web, spot: Spot) => readonly Spot[];

/** Where the same name may mean the same; elsewhere it is a name of its own. */
const AROUND: Readonly<Partial<Record<NameKind, Around>>> = {
  model: (web, spot) => web.aboutSuite(spot),
  target: (web, spot) => web.aboutSuite(spot),
  tool: (web, spot) => web.aboutSuite(spot),
  variable: (web, spot) => web.aboutVariable(spot),
};

/** How files hang together: who includes whom, and who judges with which prompt. */
class Web {
  readonly #documents: ReadonlyMap<string, EvalDocument>;
  readonly #includers = new Map<string, EvalDocument[]>();
  readonly #prompts = new Map<string, FileNames>();
  /** The spots that use a prompt. */
  readonly #judgedWith = new Map<string, Spot[]>();
  /** The prompts that a spot uses; `path` and `scope` in one. */
  readonly #promptsOf = new Map<string, string[]>();

  constructor(documents: readonly EvalDocument[]) {
    this.#documents = new Map(documents.map((one) => [one.yaml.path, one]));
    for (const document of documents) {
      for (const path of document.suite.dependencies) add(this.#includers, path, document);
      for (const { kind, name, scope } of namesOf(document.yaml).names) {
        if (kind !== 'prompt') continue;
        const { path } = document.yaml;
        add(this.#judgedWith, name, { path, scope });
        add(this.#promptsOf, keyOf({ path, scope }), name);
        add(this.#promptsOf, keyOf({ path, scope: '' }), name);
      }
    }
  }

  async readPrompts({ readText }: NamePorts): Promise<void> {
    await Promise.all(
      [...this.#judgedWith.keys()].map(async (path) => {
        const text = await readText(path);
        if (text !== undefined) this.#prompts.set(path, promptNames(text, path));
      }),
    );
  }

  find({ path, scope }: Spot, { kind, name }: Name): FoundName[] {
    const document = this.#documents.get(path);
    const file = document ? namesOf(document.yaml) : this.#prompts.get(path);
    const found = file?.find(kind, name, scope);
    return file && found ? [{ file, name: found }] : [];
  }

  filesNamed(path: string): FoundName[] {
    return [...this.#documents.values()].flatMap(({ yaml }) => {
      const file = namesOf(yaml);
      const names = file.names.filter((one) => namesFile(one.kind) && one.name === path);
      return names.map((name) => ({ file, name }));
    });
  }

  /** All spots that hang together with one by a name: through what does not mention it no way leads. */
  reach(name: Name, from: Spot, around: Around): Spot[] {
    const reached = new Map([[keyOf(from), from]]);
    // A map also yields what is put into it on the way.
    for (const spot of reached.values()) {
      for (const next of around(this, spot)) {
        const key = keyOf(next);
        if (!reached.has(key) && this.#mentions(next, name)) reached.set(key, next);
      }
    }
    return [...reached.values()];
  }

  /** Itself, or in a prompt that it judges with. */
  #mentions(spot: Spot, name: Name): boolean {
    if (this.find(spot, name).length > 0) return true;
    if (spot.scope.startsWith('cases/')) return false;
    const prompts = this.#promptsOf.get(keyOf(spot)) ?? [];
    return prompts.some((path) => this.find({ path, scope: '' }, name).length > 0);
  }

  aboutSuite({ path }: Spot): Spot[] {
    const included = this.#documents.get(path)?.suite.dependencies ?? [];
    const paths = [
      ...included.filter((one) => this.#documents.has(one)),
      ...(this.#promptsOf.get(keyOf({ path, scope: '' })) ?? []),
      ...(this.#includers.get(path) ?? []).map(({ yaml }) => yaml.path),
      ...(this.#judgedWith.get(path) ?? []).map((user) => user.path),
    ];
    return paths.map((one) => ({ path: one, scope: '' }));
  }

  aboutVariable(spot: Spot): Spot[] {
    const users = this.#judgedWith.get(spot.path) ?? [];
    const prompts = this.#promptsOf.get(keyOf(spot)) ?? [];
    return [
      ...prompts.map((path) => ({ path, scope: '' })),
      ...users,
      ...(spot.scope === 'defaults' ? this.#casesUnder(spot.path) : []),
      ...(spot.scope.startsWith('cases/') ? this.#defaultsOver(spot.path) : []),
    ];
  }

  #casesUnder(path: string): Spot[] {
    const files = [path, ...(this.#documents.get(path)?.suite.dependencies ?? [])];
    return files.flatMap((file) => {
      const cases = valueAt(this.#documents.get(file)?.yaml.value, ['cases']);
      const count = Array.isArray(cases) ? cases.length : 0;
      return Array.from({ length: count }, (_, index) => ({ path: file, scope: `cases/${index}` }));
    });
  }

  #defaultsOver(path: string): Spot[] {
    const suites = [path, ...(this.#includers.get(path) ?? []).map(({ yaml }) => yaml.path)];
    return suites.map((suite) => ({ path: suite, scope: 'defaults' }));
  }
}

function keyOf({ path, scope }: Spot): string {
  return `${path}\n${scope}`;
}

function add<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}
