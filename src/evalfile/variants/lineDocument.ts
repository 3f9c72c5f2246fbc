import type { Position, Range } from '../../core/problem.ts';
import type { Work } from '../../node/cooperative.ts';
import { readJsonLine } from '../../yaml/jsonLine.ts';
import { readYaml, type YamlDocument } from '../../yaml/yamlDocument.ts';

/** A line as a document whose places are those in its file. @param number from 1 */
export function* readLine(content: string, path: string, number: number): Work<YamlDocument> {
  const line = content.replace(/^\uFEFF/, ' ');
  const document = readJsonLine(line, path) ?? (yield* readYaml(line, path));
  const above = number - 1;
  const down = (position: Position) => ({ ...position, line: position.line + above });
  const moved = ({ start: from, end: to }: Range): Range => ({ start: down(from), end: down(to) });
  return {
    path,
    text: document.text,
    value: document.value,
    caseOf: document.caseOf,
    scalarAt: document.scalarAt,
    pathAt: document.pathAt,
    // Only asking for it makes it.
    get root() {
      return document.root;
    },
    problems: document.problems.map((one) => ({ ...one, range: moved(one.range) })),
    rangeOf: (at) => moved(document.rangeOf(at)),
    keyRangeOf: (at) => moved(document.keyRangeOf(at)),
    entryRangeOf: (at) => moved(document.entryRangeOf(at)),
    rangeOfOffsets: (from, to) => moved(document.rangeOfOffsets(from, to)),
    positionAt: (offset) => down(document.positionAt(offset)),
    offsetAt: ({ line, character }) => document.offsetAt({ line: line - above, character }),
  };
}
