import type { SelectionRange } from 'vscode-languageserver-types';
import { isMap, isNode, isPair, isScalar, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import { binarySearchLast } from '../../core/data/data.ts';
import type { Position } from '../../core/problem.ts';
import {
  endOfLine,
  isBlockText,
  type Span,
  spanOf,
  startOf,
  startOfLine,
} from '../../yaml/nodes.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import type { EvalDocument } from '../ports.ts';

/** For each place: its word, its line of a text, the text, the entry, the item, and so on to the file. */
export function selectionRanges(
  { yaml }: EvalDocument,
  positions: readonly Position[],
): SelectionRange[] {
  return positions.map((position) => {
    const offset = Math.min(Math.max(0, yaml.offsetAt(position)), yaml.text.length);
    let selection: SelectionRange | undefined;
    let outer: Span | undefined;
    for (const span of spansAround(yaml, offset)) {
      const [start, end] = span;
      const within = !outer || (start >= outer[0] && end <= outer[1]);
      const smaller = !outer || end - start < outer[1] - outer[0];
      if (!within || !smaller || start > offset || end < offset) continue;
      const range = yaml.rangeOfOffsets(start, end);
      selection = selection ? { range, parent: selection } : { range };
      outer = span;
    }
    return selection ?? { range: yaml.rangeOfOffsets(offset, offset) };
  });
}

/** From the file to the word. */
function spansAround({ text, root }: YamlDocument, offset: number): Span[] {
  const spans: Span[] = [[0, text.length]];
  let node: unknown = root;
  while (isMap(node) || isSeq(node)) {
    const span = spanOf(node, text);
    if (span) spans.push(span);
    const item = itemAt(node, offset, text);
    const own = spanOf(item, text);
    if (!own) break;
    if (isSeq(node) && !node.flow) spans.push([dashBefore(text, own[0]), own[1]]);
    spans.push(own);
    if (isPair(item)) {
      const keyEnd = (isNode(item.key) && item.key.range?.[1]) || 0;
      node = offset <= keyEnd ? item.key : item.value;
    } else {
      node = item;
    }
  }
  const span = isScalar(node) ? spanOf(node, text) : undefined;
  if (span) spans.push(span, ...withinText(node, span, text, offset));
  return spans;
}

/** The last item that begins at or before a place, its dash included. */
function itemAt(node: YAMLMap | YAMLSeq, offset: number, text: string): unknown {
  const dashes = isSeq(node) && !node.flow;
  return binarySearchLast<unknown>(node.items, (item) => {
    const start = startOf(item);
    return (dashes ? dashBefore(text, start) : start) <= offset;
  });
}

function dashBefore(text: string, start: number): number {
  let place = start - 1;
  while (/\s/.test(text[place] ?? '')) place -= 1;
  return text[place] === '-' ? place : start;
}

const WORD = /[\p{L}\p{N}\p{M}_]+(?:[.'’-][\p{L}\p{N}\p{M}_]+)*/gu;

function withinText(node: unknown, [start, end]: Span, text: string, offset: number): Span[] {
  const spans: Span[] = [];
  if (isBlockText(node)) {
    const body = start + (/^.*\r?\n\s*/.exec(text.slice(start, end))?.[0].length ?? 0);
    spans.push([body, end]);
  } else if (/^["']/.test(text.slice(start, start + 1))) {
    spans.push([start + 1, Math.max(start + 1, end - 1)]);
  }
  const [from, to] = [startOfLine(text, offset), endOfLine(text, offset)];
  const indent = /^\s*/.exec(text.slice(from, to))?.[0].length ?? 0;
  spans.push([Math.max(start, from + indent), Math.min(end, to)]);
  for (const { index, 0: word } of text.slice(from, to).matchAll(WORD)) {
    const first = from + index;
    if (first <= offset && offset <= first + word.length) spans.push([first, first + word.length]);
  }
  return spans;
}
