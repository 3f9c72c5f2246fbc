import type { FoldingRange } from 'vscode-languageserver-types';
import { isCollection, isMap, isScalar, isSeq } from 'yaml';
import { spanOf } from '../../yaml/nodes.ts';
import type { EvalDocument } from '../ports.ts';

/** Every entry, item and text of several lines, and every block of comments. Sorted by line. */
export function foldingRanges({ yaml }: EvalDocument): FoldingRange[] {
  const { text } = yaml;
  const line = (offset: number) => yaml.positionAt(offset).line;
  const ends = new Map<number, number>();
  const textLines = new Set<number>();

  const fold = (start: number, end: number) => {
    if (end > start) ends.set(start, Math.max(end, ends.get(start) ?? 0));
  };
  /** The last line of a node, below `start` if there is anything to fold. */
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
      // The closing bracket stays in sight where it stands on a line of its own.
      return end > last ? end - 1 : end;
    }
    const span = spanOf(node, text);
    if (!isScalar(node) || !span) return start;
    const [first, last] = [line(span[0]), line(span[1])];
    for (let one = first + 1; one <= last; one += 1) textLines.add(one);
    return Math.max(start, last);
  };
  if (isCollection(yaml.root)) visit(yaml.root, 0);
  else {
    const span = spanOf(yaml.root, text);
    if (span) fold(line(span[0]), visit(yaml.root, line(span[0])));
  }
  const ranges = [...ends].map(([startLine, endLine]) => ({ startLine, endLine }));
  return [...ranges, ...comments(text, textLines)].sort((a, b) => a.startLine - b.startLine);
}

/** Comments of several lines on end; a `#` at the head of a text's line begins none. */
function comments(text: string, textLines: ReadonlySet<number>): FoldingRange[] {
  const ranges: FoldingRange[] = [];
  let startLine: number | undefined;
  const lines = [...text.split(/\r\n|\r|\n/), ''];
  for (const [index, line] of lines.entries()) {
    if (/^\uFEFF?[ \t]*#/.test(line) && !textLines.has(index)) {
      startLine ??= index;
    } else if (startLine !== undefined) {
      if (index - 1 > startLine) ranges.push({ startLine, endLine: index - 1, kind: 'comment' });
      startLine = undefined;
    }
  }
  return ranges;
}
