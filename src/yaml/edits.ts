import type { TextEdit } from 'vscode-languageserver-types';
import { isCollection, isMap, isScalar, isSeq, type Node, type YAMLMap, type YAMLSeq } from 'yaml';
import { type Mapping, type Path, valueAt } from '../core/data/data.ts';
import type { Range } from '../core/problem.ts';
import { hasAnchorOrAlias } from './checkNodes.ts';
import {
  behindColon,
  endOf,
  endOfLine,
  type FoundNode,
  isBlockText,
  isFlow,
  keyOf,
  lineBreakOf,
  nodeAt,
  startOf,
  startOfLine,
  startOfNextLine,
} from './nodes.ts';
import {
  indented,
  STEP,
  write,
  writeEntry,
  writeInline,
  writeWithin,
  writeWord,
  type YamlFragment,
} from './quoting.ts';
import type { YamlDocument } from './yamlDocument.ts';

/**
 * Edits to YAML text that keep comments, quotes, and line breaks. Values behind aliases aren't edited, because that
 * would also change other places.
 */

/** Replaces a range, using the file's line breaks. */
export function edit(yaml: YamlDocument, start: number, end: number, newText: string): TextEdit {
  const text = newText.replace(/\r?\n/g, lineBreakOf(yaml.text));
  return { range: yaml.rangeOfOffsets(start, end), newText: text };
}

/** Replaces all or part of a scalar, keeping its quotes. */
export function replaceText(yaml: YamlDocument, range: Range, text: string): TextEdit {
  const [start, end] = [yaml.offsetAt(range.start), yaml.offsetAt(range.end)];
  const [, quote] = /^(["']).*\1$/s.exec(yaml.text.slice(start, end)) ?? [];
  const inside = quote && writeWithin(text, quote === '"' ? 'double' : 'single');
  if (quote && inside !== undefined) return edit(yaml, start, end, quote + inside + quote);
  const { path, onKey } = yaml.pathAt(range.start);
  const scalar = yaml.scalarAt(path, onKey ? 'key' : 'value');
  if (scalar && (scalar.start < start || scalar.end > end)) {
    const style = scalar.style === 'plain' ? 'block' : scalar.style;
    return edit(yaml, start, end, writeWithin(text, style) ?? text);
  }
  const { node, inFlow } = nodeAt(yaml.root, path) ?? {};
  // The line break at the end of a block is part of the block.
  const stop = !onKey && isBlockText(node) ? endOf(node, yaml.text) : end;
  const isNumber = [yaml.text.slice(start, stop), text].every((one) => NUMBER.test(one));
  return edit(yaml, start, stop, isNumber ? text : writeWord(text, inFlow));
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;

export function renameKey(yaml: YamlDocument, path: Path, key: string): TextEdit[] {
  const { pair, inFlow } = nodeAt(yaml.root, path) ?? {};
  const [start, end] = keyOf(pair)?.node.range ?? [];
  if (start === undefined || end === undefined) return [];
  return [edit(yaml, start, end, writeWord(key, inFlow))];
}

/**
 * Replaces a value; returns no edits if that isn't possible. A comment after its first line is kept:
 *
 *     judge: # mine               judge: mine # mine
 *       provider: openai     →
 */
export function replaceValue(yaml: YamlDocument, path: Path, value: unknown): TextEdit[] {
  const found = nodeAt(yaml.root, path);
  return found ? replaceWith(yaml, path, write(value, staysInFlow(found))) : [];
}

/** Like `replaceValue`, with a YAML fragment. */
export function replaceWith(yaml: YamlDocument, path: Path, written: YamlFragment): TextEdit[] {
  const { text } = yaml;
  const found = nodeAt(yaml.root, path);
  const seat = found && slotOf(found, text);
  if (!seat) return [];
  const inFlow = staysInFlow(found);
  const { below, ...given } = inFlow && written.below ? write(written.value, true) : written;
  const lines = (below && found.pair ? `\n${indented(given.text, STEP)}` : given.text).split('\n');
  const first = lines[0] === '' ? '' : seat.gap + lines[0];
  const column = columnOf(text, below && !found.pair ? startOf(found.node) : seat.owner);
  const others = lines.slice(1).map((line) => `\n${indented(line, column)}`);
  const stop = endOfLine(text, seat.end);
  const last = Math.max(stop, seat.last);
  if (others.length === 0 && last === stop) return [edit(yaml, seat.start, seat.end, first)];
  return stop === seat.end
    ? [edit(yaml, seat.start, last, first + others.join(''))]
    : [edit(yaml, seat.start, seat.end, first), edit(yaml, stop, last, others.join(''))];
}

export function replaceEntry(
  yaml: YamlDocument,
  path: Path,
  key: string,
  value: unknown,
): TextEdit[] {
  const edits = replaceValue(yaml, path, value);
  return edits.length === 0 ? [] : [...renameKey(yaml, path, key), ...edits];
}

/** The range of a value to replace. */
interface ValueSlot {
  /** The part of its first line to replace, and the text before the new value. */
  readonly start: number;
  readonly end: number;
  readonly gap: string;
  /** The end of its last line. */
  readonly last: number;
  /** The start of its key or dash. */
  readonly owner: number;
}

/** Undefined if the value can't be replaced: for `{key}`, and for values with an anchor. */
function slotOf({ node, pair }: FoundNode, text: string): ValueSlot | undefined {
  const last = pair ? endOf(pair, text) : endOf(node, text);
  const begin = startOf(node);
  if (!pair) {
    const dash = text.lastIndexOf('-', begin - 1);
    return { start: begin, end: headEnd(node, text), gap: '', last, owner: dash };
  }
  const colon = behindColon(pair, text);
  const owner = startOf(pair);
  if (colon === undefined) return undefined;
  if (!node || last === colon) return { start: colon, end: colon, gap: ' ', last, owner };
  const between = text.slice(colon, begin);
  if (isCollection(node) && !isFlow(node)) {
    const isNamed = between.replace(/#.*/g, '').trim() !== '';
    const stop = endOfLine(text, last);
    return isNamed ? undefined : { start: colon, end: colon, gap: ' ', last: stop, owner };
  }
  const tight = between.trim() === '' ? { start: colon, gap: ' ' } : { start: begin, gap: '' };
  return { ...tight, end: headEnd(node, text), last, owner };
}

/** The end of a value, or of the header of a block scalar: `|-`. */
function headEnd(node: Node | null, text: string): number {
  HEADER.lastIndex = startOf(node);
  return isBlockText(node) && HEADER.test(text) ? HEADER.lastIndex : endOf(node, text);
}

const HEADER = /[|>][-+\d]*/y;

function staysInFlow({ node, pair, inFlow }: FoundNode): boolean {
  return inFlow || (!pair && isFlow(node));
}

export function columnOf(text: string, offset: number): number {
  return offset - startOfLine(text, offset);
}

/** Adds entries to a mapping, each on its own line; undefined if there is no mapping. */
export function addKeys(yaml: YamlDocument, path: Path, entries: Mapping): TextEdit | undefined {
  const written = Object.entries(entries).map(
    ([key, value]) => [key, { value, text: writeInline(value), below: false }] as const,
  );
  return addWritten(yaml, path, written);
}

/** Like `addKeys`, with YAML fragments. */
export function addWritten(
  yaml: YamlDocument,
  path: Path,
  entries: readonly (readonly [key: string, value: YamlFragment])[],
): TextEdit | undefined {
  const map = nodeAt(yaml.root, path)?.node;
  if (!isMap(map) || !map.range) return undefined;
  const last = map.items.at(-1);
  if (map.flow) {
    const inside = entries
      .map(([key, { value }]) => `${writeWord(key, true)}: ${writeInline(value, true)}`)
      .join(', ');
    const [start, end] = map.range;
    if (!last) return edit(yaml, start, end, `{ ${inside} }`);
    const stop = endOf(last, yaml.text);
    return edit(yaml, stop, stop, `, ${inside}`);
  }
  if (!last) return undefined;
  const column = columnOf(yaml.text, startOf(map.items[0]));
  const stop = endOfLine(yaml.text, endOf(last, yaml.text));
  const lines = entries.map((entry) => `\n${indented(writeEntry(...entry), column)}`);
  return edit(yaml, stop, stop, lines.join(''));
}

/** Adds an item on its own lines, after an item of a list and an empty line; undefined if there is no such list. */
export function addItemAfter(yaml: YamlDocument, path: Path, value: unknown): TextEdit | undefined {
  const { text } = yaml;
  const list = nodeAt(yaml.root, path.slice(0, -1))?.node;
  const node = nodeAt(yaml.root, path)?.node;
  if (!isSeq(list) || list.flow || !node) return undefined;
  const column = columnOf(text, text.lastIndexOf('-', startOf(node) - 1));
  const item = indented(write(value).text, column + STEP).trimStart();
  const stop = endOfLine(text, endOf(node, text));
  return edit(yaml, stop, stop, `\n\n${' '.repeat(column)}- ${item}`);
}

/** Removes an entry. If it was the only one, also removes its mapping or list. Comments above the entry are kept. */
export function removeEntry(yaml: YamlDocument, path: Path): TextEdit | undefined {
  const owner = nodeAt(yaml.root, path.slice(0, -1))?.node;
  const last = path.at(-1);
  if (last === undefined || !(isMap(owner) || isSeq(owner))) return undefined;
  const index = isSeq(owner)
    ? Number(last)
    : owner.items.findLastIndex((pair) => keyOf(pair)?.name === String(last));
  return removeAt(yaml, path, owner, index);
}

/** Like `removeEntry`, for one of two keys with the same name, identified by its offset. */
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

function removeItem(yaml: YamlDocument, item: unknown): TextEdit {
  const { text } = yaml;
  const dash = text.lastIndexOf('-', startOf(item) - 1);
  const start = startOfLine(text, dash);
  // `- - a`: the outer dash is kept.
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
  // After a dash, the following text moves up.
  const following = /\S/.exec(text.slice(after));
  return edit(yaml, start, after + (following?.index ?? 0), '');
}

/** The value of an entry to be moved, with its comments; undefined if it contains anchors or aliases. */
export function fragmentAt(yaml: YamlDocument, path: Path): YamlFragment | undefined {
  const { node, pair } = nodeAt(yaml.root, path) ?? {};
  if (!node || !pair || hasAnchorOrAlias(node)) return undefined;
  const { text } = yaml;
  const colon = behindColon(pair, text);
  if (colon === undefined) return undefined;
  const value = valueAt(yaml.value, path);
  const below = !isFlow(node) && !isScalar(node);
  if (!below) {
    const own = text.slice(startOf(node), endOf(node, text));
    return { value, text: dedented(own, columnOf(text, startOf(pair)), 1), below };
  }
  const lines = text.slice(startOfNextLine(text, colon), endOfLine(text, endOf(node, text)));
  return { value, text: dedented(lines, columnOf(text, startOf(node))), below };
}

/** Removes up to `columns` spaces of indentation, starting at a line. */
function dedented(text: string, columns: number, from = 0): string {
  return text
    .split(/\r?\n/)
    .map((line, index) => {
      const indent = line.length - line.trimStart().length;
      return index < from ? line : line.slice(Math.min(columns, indent));
    })
    .join('\n');
}
