import type { TextEdit } from 'vscode-languageserver-types';
import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Path } from '../core/data.ts';
import type { YamlDocument } from './yamlDocument.ts';

/**
 * Edits of a YAML text that leave all else as it was written: comments, quotes, line ends. Nothing
 * is offered behind an alias, where an edit would change more than what is looked at.
 */

/** The node at a path, and its entry where it stands in a mapping. */
export function nodeAt(
  yaml: YamlDocument,
  path: Path,
): { readonly node: Node | null; readonly pair?: Pair } | undefined {
  let found: { node: Node | null; pair?: Pair } | undefined = { node: yaml.root };
  for (const step of path) {
    found = stepInto(found.node, step);
    if (!found) return undefined;
  }
  return found;
}

function stepInto(node: Node | null, step: string | number) {
  if (isSeq(node) && typeof step === 'number') {
    const item = node.items[step];
    return isNode(item) ? { node: item } : undefined;
  }
  if (!isMap(node)) return undefined;
  // Of a key that stands there twice the last one's value counts.
  const pair = node.items.findLast(
    ({ key }) => isScalar(key) && String(key.value) === String(step),
  );
  return pair && { node: isNode(pair.value) ? pair.value : null, pair };
}

/** The text's own line end. */
export function lineEnd({ text }: YamlDocument): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

export function edit(yaml: YamlDocument, start: number, end: number, newText: string): TextEdit {
  const text = newText.replace(/\r?\n/g, lineEnd(yaml));
  return { range: yaml.rangeOfOffsets(start, end), newText: text };
}

/** Where a node or an entry begins, anchors and tags left out. */
export function startOf(item: unknown): number {
  const node = isPair(item) ? item.key : item;
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** Where the last character of a node or an entry stands, without the blanks and comments behind. */
export function endOf(item: unknown, text: string): number {
  if (isPair(item)) {
    const value = isNode(item.value) ? item.value : undefined;
    if (value && !isEmpty(value)) return endOf(value, text);
    const key = isNode(item.key) ? (item.key.range?.[1] ?? 0) : 0;
    const colon = /^[ \t]*:/.exec(text.slice(key, key + 100));
    return key + (colon?.[0].length ?? 0);
  }
  if ((isMap(item) || isSeq(item)) && !item.flow) {
    const last: unknown = item.items.at(-1);
    return last === undefined ? (item.range?.[1] ?? 0) : endOf(last, text);
  }
  if (!isNode(item)) return 0;
  const [start, end] = item.range ?? [0, 0];
  return start + text.slice(start, end).trimEnd().length;
}

function isEmpty(node: Node): boolean {
  return isScalar(node) && (node.range?.[0] ?? 0) === (node.range?.[1] ?? 0);
}

/** The column of an offset: the indent of what begins there. */
export function columnOf({ text }: YamlDocument, offset: number): number {
  return offset - lineStart(text, offset);
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** The end of an offset's line, before its line end. */
export function lineStop(text: string, offset: number): number {
  const found = /\r?\n/.exec(text.slice(offset));
  return found ? offset + found.index : text.length;
}

/** The start of the next line; the end of the text where there is none. */
export function nextLine(text: string, offset: number): number {
  const found = text.indexOf('\n', offset);
  return found < 0 ? text.length : found + 1;
}

/** Whether a value can only stand in brackets or on one line there. */
export function isFlow(node: unknown): boolean {
  return (isMap(node) || isSeq(node)) && node.flow === true;
}

/** Adds keys to a mapping, each value on one line; undefined where no mapping stands there. */
export function addKeys(
  yaml: YamlDocument,
  path: Path,
  keys: Readonly<Record<string, string>>,
): TextEdit | undefined {
  const map = nodeAt(yaml, path)?.node;
  if (!isMap(map) || map.range === undefined || map.range === null) return undefined;
  const entries = Object.entries(keys).map(([key, value]) => `${key}: ${value}`);
  const last = map.items.at(-1);
  if (map.flow) return addToFlow(yaml, map, entries);
  if (!last) return undefined;
  const stop = lineStop(yaml.text, endOf(last, yaml.text));
  const indent = ' '.repeat(columnOf(yaml, startOf(map.items[0])));
  return edit(yaml, stop, stop, entries.map((entry) => `\n${indent}${entry}`).join(''));
}

function addToFlow(yaml: YamlDocument, map: YAMLMap, entries: readonly string[]): TextEdit {
  const [start = 0, end = 0] = map.range ?? [];
  const last = map.items.at(-1);
  if (!last) return edit(yaml, start, end, `{ ${entries.join(', ')} }`);
  const at = endOf(last, yaml.text);
  return edit(yaml, at, at, entries.map((entry) => `, ${entry}`).join(''));
}

/**
 * Takes out the entry at a path; the mapping or list with it where it was all that stood there. The
 * comments above it stay.
 */
export function removeEntry(yaml: YamlDocument, path: Path): TextEdit | undefined {
  const owner = nodeAt(yaml, path.slice(0, -1))?.node;
  const last = path.at(-1);
  if (last === undefined || !(isMap(owner) || isSeq(owner))) return undefined;
  const index = isSeq(owner)
    ? Number(last)
    : owner.items.findLastIndex(({ key }) => isScalar(key) && String(key.value) === String(last));
  return removeAt(yaml, path, owner, index);
}

/** As `removeEntry`, of the entry whose key begins at an offset: one of two of the same name. */
export function removeKeyAt(yaml: YamlDocument, offset: number): TextEdit | undefined {
  const { path } = yaml.pathAt(yaml.positionAt(offset));
  const owner = nodeAt(yaml, path.slice(0, -1))?.node;
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
  const start = lineStart(text, dash);
  // `- - a`: the outer dash stays.
  if (text.slice(start, dash).trim() !== '') {
    return edit(yaml, dash, lineStop(text, endOf(item, text)), '[]');
  }
  return edit(yaml, start, nextLine(text, endOf(item, text)), '');
}

function removePair(yaml: YamlDocument, items: readonly unknown[], index: number): TextEdit {
  const { text } = yaml;
  const start = startOf(items[index]);
  const line = lineStart(text, start);
  const after = nextLine(text, endOf(items[index], text));
  if (text.slice(line, start).trim() === '') return edit(yaml, line, after, '');
  // Behind a dash: what follows moves up to it.
  const following = /\S/.exec(text.slice(after));
  return edit(yaml, start, after + (following?.index ?? 0), '');
}

/** Puts something else in the place of a node, its comments behind it kept. */
export function replaceNode(yaml: YamlDocument, node: Node, newText: string): TextEdit {
  return edit(yaml, startOf(node), endOf(node, yaml.text), newText);
}

/** Lines moved so that they begin at another column; the first line is one that already does. */
export function reindent(text: string, from: number, to: number): string {
  const shift = to - from;
  return text
    .split(/\r?\n/)
    .map((line, index) => {
      if (index === 0 || line.trim() === '') return line;
      return shift >= 0 ? ' '.repeat(shift) + line : line.slice(Math.min(-shift, indentOf(line)));
    })
    .join('\n');
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** A text as one line of YAML: plain where that is safe, in quotes otherwise. */
export function scalar(text: string): string {
  const plain =
    /^[\p{L}\p{N}./_][\p{L}\p{N} ./_'()!?;+=-]*$/u.test(text) &&
    !/\s$|:\s|:$|\s#/.test(text) &&
    !/^(true|false|null|~|[-+.]?\d.*|\.(inf|nan))$/i.test(text);
  return plain ? text : JSON.stringify(text);
}

/** The offset behind the colon of an entry. */
export function behindColon(pair: Pair, text: string): number {
  const key = isNode(pair.key) ? (pair.key.range?.[1] ?? 0) : 0;
  return text.indexOf(':', key) + 1;
}

/** The value of an entry, ready to stand elsewhere. */
export interface Moved {
  /** With its comments, its lines beginning at column 0. */
  readonly text: string;
  /** Whether it needs lines of its own. */
  readonly block: boolean;
  /** Puts something short in its place. */
  replaceBy(short: string): TextEdit[];
}

/** Cuts out the value of an entry; undefined where none stands there or anchors tie it to its place. */
export function cutOut(yaml: YamlDocument, path: Path): Moved | undefined {
  const { node, pair } = nodeAt(yaml, path) ?? {};
  if (!node || !pair || isTied(node)) return undefined;
  const { text } = yaml;
  const colon = behindColon(pair, text);
  const end = endOf(node, text);
  const inOneLine = isFlow(node) || isScalar(node);
  if (inOneLine) {
    return {
      text: reindent(text.slice(startOf(node), end), columnOf(yaml, startOf(pair)), 0),
      block: false,
      replaceBy: (short) => [replaceNode(yaml, node, short)],
    };
  }
  const first = nextLine(text, colon);
  const stop = lineStop(text, end);
  const column = columnOf(yaml, startOf(node));
  return {
    text: dedent(text.slice(first, stop), column),
    block: true,
    replaceBy: (short) => [
      edit(yaml, colon, colon, ` ${short}`),
      edit(yaml, lineStop(text, colon), stop, ''),
    ],
  };
}

function isTied(node: Node): boolean {
  let tied = false;
  visit(node, (_key, inner) => {
    if (isAlias(inner) || (isNode(inner) && 'anchor' in inner && inner.anchor !== undefined)) {
      tied = true;
      return visit.BREAK;
    }
    return undefined;
  });
  return tied;
}

function dedent(text: string, columns: number): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.slice(Math.min(columns, indentOf(line))))
    .join('\n');
}

/** Every line moved to the right; blank lines stay blank. */
export function indented(text: string, columns: number): string {
  return text.replace(/^(?=.*\S)/gm, ' '.repeat(columns));
}
