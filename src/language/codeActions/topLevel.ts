import type { TextEdit } from 'vscode-languageserver-types';
import { isMap, type Pair } from 'yaml';
import { fileKeys } from '../../evalfile/schema.ts';
import { edit } from '../../yaml/edits.ts';
import { keyOf, startOf, startOfLine } from '../../yaml/nodes.ts';
import { writeEntry, type YamlFragment } from '../../yaml/quoting.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';

/** Adds an entry above the keys that usually come after it, such as `cases`; undefined if there are none. */
export function addTopLevel(
  yaml: YamlDocument,
  key: string,
  value: YamlFragment,
): TextEdit | undefined {
  const { root, text } = yaml;
  if (!isMap(root) || root.flow) return undefined;
  const keys = Object.keys(fileKeys.shape);
  const laterKeys = keys.slice(keys.indexOf(key) + 1);
  const next = root.items.find((pair) => laterKeys.includes(keyOf(pair)?.name ?? ''));
  if (!next) return undefined;
  const start = aboveComments(text, next);
  const isSeparated = /\n\r?\n$/.test(text.slice(0, start));
  const gap = isSeparated ? '\n' : '';
  return edit(yaml, start, start, `${writeEntry(key, value)}\n${gap}`);
}

/** The offset above an entry's comments, but below those at the head of the file. */
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
