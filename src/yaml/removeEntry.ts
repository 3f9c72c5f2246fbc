import type { TextEdit } from 'vscode-languageserver-types';
import { isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Path } from '../core/data/data.ts';
import { edit } from './edits.ts';
import { endOfLine, startOfLine, startOfNextLine } from './lines.ts';
import { endOf, keyOf, nodeAt, startOf } from './nodes.ts';
import type { YamlDocument } from './yamlDocument.ts';

/**
 * Takes out the entry at a path; the mapping or list with it where it was all that stood there. The
 * comments above it stay.
 */
export function removeEntry(yaml: YamlDocument, path: Path): TextEdit | undefined {
  const owner = nodeAt(yaml.root, path.slice(0, -1))?.node;
  const last = path.at(-1);
  if (last === undefined || !(isMap(owner) || isSeq(owner))) return undefined;
  const index = isSeq(owner)
    ? Number(last)
    : owner.items.findLastIndex((pair) => keyOf(pair)?.name === String(last));
  return removeAt(yaml, path, owner, index);
}

/** As `removeEntry`, of the entry whose key begins at an offset: one of two of the same name. */
export function removeKeyAt(yaml: YamlDocument, offset: number): TextEdit | undefined {
  const { path } = yaml.pathAt(yaml.positionAt(offset));
  const owner = nodeAt(yaml.root, path.slice(0, -1))?.node;
  if (!isMap(owner)) return undefined;
  const index = owner.items.findIndex((item) => startOf(item) === offset);
  return removeAt(yaml, path, owner, index);
}

function removeAt(
  yaml: YamlDocument,
  path: Path,
  owner: YAMLMap | YAMLSeq,
  index: number,
): TextEdit | undefined {
  const items: readonly unknown[] = owner.items;
  const item = items[index];
  if (item === undefined || item === null) return undefined;
  if (items.length === 1 && path.length > 1) return removeEntry(yaml, path.slice(0, -1));
  if (owner.flow) return removeFromFlow(yaml, items, index);
  return isSeq(owner) ? removeItem(yaml, item) : removePair(yaml, items, index);
}

function removeFromFlow(yaml: YamlDocument, items: readonly unknown[], index: number): TextEdit {
  const { text } = yaml;
  const next = items[index + 1];
  const before = items[index - 1];
  if (next !== undefined) return edit(yaml, startOf(items[index]), startOf(next), '');
  const start = before === undefined ? startOf(items[index]) : endOf(before, text);
  return edit(yaml, start, endOf(items[index], text), '');
}

/** The lines of an item of a list, from its dash. */
function removeItem(yaml: YamlDocument, item: unknown): TextEdit {
  const { text } = yaml;
  const dash = text.lastIndexOf('-', startOf(item) - 1);
  const start = startOfLine(text, dash);
  // `- - a`: the outer dash stays.
  if (text.slice(start, dash).trim() !== '') {
    return edit(yaml, dash, endOfLine(text, endOf(item, text)), '[]');
  }
  return edit(yaml, start, startOfNextLine(text, endOf(item, text)), '');
}

function removePair(yaml: YamlDocument, items: readonly unknown[], index: number): TextEdit {
  const { text } = yaml;
  const start = startOf(items[index]);
  const line = startOfLine(text, start);
  const after = startOfNextLine(text, endOf(items[index], text));
  if (text.slice(line, start).trim() === '') return edit(yaml, line, after, '');
  // Behind a dash: what follows moves up to it.
  const following = /\S/.exec(text.slice(after));
  return edit(yaml, start, after + (following?.index ?? 0), '');
}
