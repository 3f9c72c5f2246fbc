import { basename, extname } from 'node:path';
import type { CodeAction, TextEdit } from 'vscode-languageserver-types';
import { isMap, type Pair } from 'yaml';
import { mappingOf, type Path, valueAt } from '../../../core/data.ts';
import type { YamlDocument } from '../../../yaml/yamlDocument.ts';
import {
  addKeys,
  columnOf,
  cutOut,
  edit,
  endOf,
  indented,
  isFlow,
  lineStart,
  lineStop,
  type Moved,
  nodeAt,
  startOf,
} from '../../../yaml/yamlEdits.ts';
import { editsIn, refactoring } from './actions.ts';
import { type CursorPlace, freeName, slug } from './place.ts';

type List = 'models' | 'targets';

/** Moves a model or a target that is written out where it is used to the top, under a name. */
export function extractName(place: CursorPlace): CodeAction[] {
  const { yaml } = place.document;
  const found = inlineAt(place);
  const moved = found && cutOut(yaml, found.path);
  if (!moved) return [];
  const { list } = found;
  const names = Object.keys(mappingOf(valueAt(yaml.value, [list])));
  const name = freeName(found.name, names);
  const inserted = insertion(yaml, list, name, moved, found.value);
  if (!inserted) return [];
  const edits = [...moved.replaceBy(name), inserted];
  const title = `Move to \`${list}\` as "${name}"`;
  return [refactoring(title, 'refactor.extract', editsIn(place.uri, edits))];
}

interface Inline {
  readonly list: List;
  readonly path: Path;
  readonly value: unknown;
  /** What it could be called. */
  readonly name: string;
}

/** The innermost model or target around the cursor that stands where a name could. */
function inlineAt({ document, path }: CursorPlace): Inline | undefined {
  const { value: root } = document.yaml;
  for (let length = path.length; length > 0; length -= 1) {
    const prefix = path.slice(0, length);
    const key = prefix.at(-1);
    const value = valueAt(root, prefix);
    const { provider, type, path: file } = mappingOf(value);
    if (key === 'target' && typeof type === 'string') {
      const name = typeof file === 'string' ? basename(file, extname(file)) : type;
      return { list: 'targets', path: prefix, value, name: slug(name, 'target') };
    }
    if (key !== 'judge' && key !== 'model') continue;
    const owner = mappingOf(valueAt(root, prefix.slice(0, -1)));
    // `model` of a model is the name at its endpoint.
    if (key === 'model' && owner.provider !== undefined) continue;
    const short = typeof value === 'string' && /^[a-z-]+:./.test(value) ? value : undefined;
    if (typeof provider !== 'string' && short === undefined) continue;
    const model = short?.slice(short.indexOf(':') + 1) ?? String(mappingOf(value).model);
    return {
      list: 'models',
      path: prefix,
      value,
      name: key === 'judge' ? 'judge' : slug(model, 'model'),
    };
  }
  return undefined;
}

/** The keys that stand behind the list where it is new. */
const BEHIND: Readonly<Record<List, readonly string[]>> = {
  models: ['targets', 'target', 'judge', 'role', 'topics', 'tools', 'defaults', 'include', 'cases'],
  targets: ['target', 'judge', 'role', 'topics', 'tools', 'defaults', 'include', 'cases'],
};

function insertion(
  yaml: YamlDocument,
  list: List,
  name: string,
  moved: Moved,
  value: unknown,
): TextEdit | undefined {
  const there = nodeAt(yaml, [list])?.node;
  if (isMap(there) && isFlow(there)) {
    return addKeys(yaml, [list], { [name]: moved.block ? JSON.stringify(value) : moved.text });
  }
  if (isMap(there) && there.items.length > 0) {
    const column = columnOf(yaml, startOf(there.items[0]));
    const stop = lineStop(yaml.text, endOf(there.items.at(-1), yaml.text));
    return edit(yaml, stop, stop, `\n${indented(entry(name, moved), column)}`);
  }
  const root = yaml.root;
  if (!isMap(root) || root.flow || there) return undefined;
  const next = root.items.find(({ key }) => BEHIND[list].includes(String(key)));
  if (!next) return undefined;
  const start = aboveComments(yaml.text, next);
  return edit(yaml, start, start, `${list}:\n${indented(entry(name, moved), 2)}\n`);
}

function entry(name: string, { text, block }: Moved): string {
  return block ? `${name}:\n${indented(text, 2)}` : `${name}: ${text}`;
}

/** Above the comments of an entry; not above those at the head of the file. */
function aboveComments(text: string, pair: Pair): number {
  const start = lineStart(text, startOf(pair));
  let above = start;
  while (above > 0) {
    const before = lineStart(text, above - 1);
    if (!/^#/.test(text.slice(before, above))) return above;
    above = before;
  }
  return start;
}
