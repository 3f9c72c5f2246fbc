import { basename, extname } from 'node:path';
import type { CodeAction, TextEdit } from 'vscode-languageserver-types';
import { isMap, type Pair } from 'yaml';
import { mappingOf, type Path, valueAt } from '../../../core/data.ts';
import { cutOut } from '../../../yaml/cutOut.ts';
import { addWritten, edit } from '../../../yaml/edits.ts';
import { startOfLine } from '../../../yaml/lines.ts';
import { startOf } from '../../../yaml/nodes.ts';
import { type Written, write, writeEntry } from '../../../yaml/write.ts';
import type { YamlDocument } from '../../../yaml/yamlDocument.ts';
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
  const inserted = insertion(yaml, list, name, moved);
  if (!inserted) return [];
  const edits = [...moved.replaceBy(name), inserted];
  const title = `Move to \`${list}\` as "${name}"`;
  return [refactoring(title, 'refactor.extract', editsIn(place.uri, edits))];
}

interface Inline {
  readonly list: List;
  readonly path: Path;
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
      return { list: 'targets', path: prefix, name: slug(name, 'target') };
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
  moved: Written,
): TextEdit | undefined {
  const { root, text, value } = yaml;
  if (valueAt(value, [list]) !== undefined) return addWritten(yaml, [list], [[name, moved]]);
  if (!isMap(root) || root.flow) return undefined;
  const next = root.items.find(({ key }) => BEHIND[list].includes(String(key)));
  if (!next) return undefined;
  const start = aboveComments(text, next);
  const entry = { ...write({}), text: writeEntry(name, moved), below: true };
  return edit(yaml, start, start, `${writeEntry(list, entry)}\n`);
}

/** Above the comments of an entry; not above those at the head of the file. */
function aboveComments(text: string, pair: Pair): number {
  const start = startOfLine(text, startOf(pair));
  let above = start;
  while (above > 0) {
    const before = startOfLine(text, above - 1);
    if (!/^#/.test(text.slice(before, above))) return above;
    above = before;
  }
  return start;
}
