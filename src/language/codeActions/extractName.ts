import { basename, extname } from 'node:path';
import type { CodeAction, TextEdit } from 'vscode-languageserver-types';
import { firstFree, isMapping, mappingOf, valueAt } from '../../core/data/data.ts';
import { isFileKind, type SymbolKind } from '../../core/meaning.ts';
import { evalFileSchema, fileKeys } from '../../evalfile/schema.ts';
import { meaningOf, rolesAt } from '../../schema/mentions.ts';
import { addWritten, fragmentAt, replaceValue } from '../../yaml/edits.ts';
import { write, writeEntry, type YamlFragment } from '../../yaml/quoting.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import { type ActionContext, editsIn, numbered, refactoring, slug } from './actions.ts';
import { addTopLevel } from './topLevel.ts';

/** The top-level keys that declare symbols: `models` and `targets`. */
const LISTS: ReadonlyMap<SymbolKind, string> = new Map(
  Object.entries(fileKeys.shape).flatMap(([key, field]) => {
    const { declares } = meaningOf(field);
    return declares ? [[declares, key] as const] : [];
  }),
);

/** Moves an inline model or target to the top level of the file, and names it. */
export function extractName(context: ActionContext): CodeAction[] {
  const { yaml } = context.document;
  const found = inlineAt(context);
  const moved = found && fragmentAt(yaml, found.path);
  if (!moved) return [];
  const { list } = found;
  const names = mappingOf(valueAt(yaml.value, [list]));
  const name = firstFree(
    (number) => numbered(found.name, number),
    (one) => Object.hasOwn(names, one),
  );
  const inserted = insertion(yaml, list, name, moved);
  if (!inserted) return [];
  const edits = [...replaceValue(yaml, found.path, name), inserted];
  const title = `Move to \`${list}\` as "${name}"`;
  return [refactoring(title, 'refactor.extract', editsIn(context.uri, edits))];
}

/** The innermost inline model or target around the cursor. */
function inlineAt({ document, path }: ActionContext) {
  const { value: root } = document.yaml;
  for (let length = path.length; length > 0; length -= 1) {
    const prefix = path.slice(0, length);
    const key = prefix.at(-1);
    // List items can't be moved.
    if (typeof key !== 'string') continue;
    const value = valueAt(root, prefix);
    const written = isMapping(value) || (typeof value === 'string' && SHORT_MODEL.test(value));
    for (const { kind, role } of written ? rolesAt(evalFileSchema, root, prefix) : []) {
      const list = kind !== undefined && !isFileKind(kind) ? LISTS.get(kind) : undefined;
      if (list === undefined || role === 'declaration') continue;
      return { list, path: prefix, name: key === kind ? nameOf(value, kind) : key };
    }
  }
  return undefined;
}

const SHORT_MODEL = /^[a-z-]+:./;

function nameOf(value: unknown, kind: string): string {
  if (typeof value === 'string') return slug(value.slice(value.indexOf(':') + 1), kind);
  const { model, path, type } = mappingOf(value);
  const file = typeof path === 'string' ? basename(path, extname(path)) : undefined;
  const name = kind === 'model' ? model : (file ?? type);
  return slug(typeof name === 'string' ? name : '', kind);
}

function insertion(
  yaml: YamlDocument,
  list: string,
  name: string,
  moved: YamlFragment,
): TextEdit | undefined {
  if (valueAt(yaml.value, [list]) !== undefined) return addWritten(yaml, [list], [[name, moved]]);
  const entry = { ...write({}), text: writeEntry(name, moved), below: true };
  return addTopLevel(yaml, list, entry);
}
