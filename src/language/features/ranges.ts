import type { FoldingRange, SelectionRange } from 'vscode-languageserver-types';
import {
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
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

/** Folding ranges for multi-line entries, items, texts, and comments, sorted by line. */
export function foldingRanges({ yaml }: EvalDocument): FoldingRange[] {
  const { text } = yaml;
  const line = (offset: number) => yaml.positionAt(offset).line;
  const ends = new Map<number, number>();
  const textLines = new Set<number>();

  const fold = (start: number, end: number) => {
    if (end > start) ends.set(start, Math.max(end, ends.get(start) ?? 0));
  };
  /** @returns the last line of the node */
  const visit = (node: unknown, start: number): number => {
    if (isMap(node) || isSeq(node)) {
      let last = start;
      for (const item of node.items) {
        const [itemStart = 0] = spanOf(item, text) ?? [];
        const first = line(itemStart);
        const end = visit(isMap(node) ? Reflect.get(item as object, 'value') : item, first);
        fold(first, end);
        last = Math.max(last, end);
      }
      if (!node.flow) return last;
      const end = line((spanOf(node, text)?.[1] ?? 1) - 1);
      // A closing bracket on its own line stays visible.
      return end > last ? end - 1 : end;
    }
    const span = spanOf(node, text);
    if (!isScalar(node) || !span) return start;
    const [first, last] = [line(span[0]), line(span[1])];
    for (let one = first + 1; one <= last; one += 1) textLines.add(one);
    return Math.max(start, last);
  };
  const [start] = isCollection(yaml.root) ? [] : (spanOf(yaml.root, text) ?? []);
  const end = visit(yaml.root, line(start ?? 0));
  if (start !== undefined) fold(line(start), end);
  const ranges = [...ends].map(([startLine, endLine]) => ({ startLine, endLine }));
  return [...ranges, ...comments(text, textLines)].sort((a, b) => a.startLine - b.startLine);
}

/** Comments that span several consecutive lines. Ignores `#` within texts. */
function comments(text: string, textLines: ReadonlySet<number>): FoldingRange[] {
  const ranges: FoldingRange[] = [];
  let startLine: number | undefined;
  for (const [index, line] of [...text.split(/\r\n|\r|\n/), ''].entries()) {
    if (/^\uFEFF?[ \t]*#/.test(line) && !textLines.has(index)) {
      startLine ??= index;
    } else if (startLine !== undefined) {
      if (index - 1 > startLine) ranges.push({ startLine, endLine: index - 1, kind: 'comment' });
      startLine = undefined;
    }
  }
  return ranges;
}

/** For each position, the ranges of its word, line, text, entry, and item, and so on up to the whole file. */
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

/** All spans, from the outermost to the innermost. */
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
    const keyEnd = (isPair(item) && isNode(item.key) && item.key.range?.[1]) || 0;
    if (isPair(item)) node = offset <= keyEnd ? item.key : item.value;
    else node = item;
  }
  const span = isScalar(node) ? spanOf(node, text) : undefined;
  if (span) spans.push(span, ...withinText(node, span, text, offset));
  return spans;
}

/** The last item that starts at or before the offset, including the item's dash. */
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
