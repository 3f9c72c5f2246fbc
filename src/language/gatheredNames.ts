import type { Path } from '../core/data.ts';
import type { Range } from '../core/problem.ts';
import { wordsRange } from '../yaml/scalarText.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import { type FileNames, type Name, type NameKind, namesFile, type Place } from './name.ts';

export type Role = 'declaration' | 'use';

interface Entry extends Name {
  readonly declarations: Place[];
  readonly uses: Place[];
  readonly hidden: Range[];
  /** Against the same place twice: an alias repeats all that stands behind its anchor. */
  readonly seen: Set<string>;
}

/** Names on their way into a list. */
export class GatheredNames implements FileNames {
  readonly path: string;
  readonly #entries = new Map<string, Entry>();
  #names: readonly Name[] | undefined;
  readonly #resolve: (reference: string) => string;

  constructor(path: string, resolvePath: (reference: string) => string) {
    this.path = path;
    this.#resolve = resolvePath;
  }

  get names(): readonly Name[] {
    this.#names ??= [...this.#entries.values()];
    return this.#names;
  }

  find(kind: NameKind, name: string, scope: string): Name | undefined {
    return this.#entries.get(keyOf(kind, name, scope));
  }

  /** @param place the range alone where escapes hide the name */
  add(kind: NameKind, name: string, scope: string, role: Role, place: Place | Range): void {
    const key = keyOf(kind, name, scope);
    const known = this.#entries.get(key);
    const entry: Entry = known ?? {
      kind,
      name,
      scope,
      declarations: [],
      uses: [],
      hidden: [],
      seen: new Set(),
    };
    if (!known) {
      this.#entries.set(key, entry);
      this.#names = undefined;
    }
    const { start } = 'range' in place ? place.range : place;
    const spot = `${start.line}:${start.character}`;
    if (entry.seen.has(spot)) return;
    entry.seen.add(spot);
    if (!('range' in place)) entry.hidden.push(place);
    else if (role === 'declaration') entry.declarations.push(place);
    else entry.uses.push(place);
  }

  /** A scalar that is a name as a whole; nothing where an alias or no text stands. */
  addScalar(
    yaml: YamlDocument,
    kind: NameKind,
    scope: string,
    role: Role,
    path: Path,
    part: 'key' | 'value' = 'value',
  ): void {
    const scalar = yaml.scalarAt(path, part);
    if (!scalar || scalar.value.trim() === '') return;
    const { value, style, start, end } = scalar;
    const name = namesFile(kind) ? this.#resolve(value) : value;
    const words = wordsRange(yaml, scalar);
    const place = words && { range: words, style, text: value, path };
    this.add(kind, name, scope, role, place ?? yaml.rangeOfOffsets(start, end));
  }
}

function keyOf(kind: NameKind, name: string, scope: string): string {
  return `${kind}\n${scope}\n${name}`;
}
