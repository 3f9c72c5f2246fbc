import type { Path } from '../core/data/data.ts';
import type { Position, Problem, Range } from '../core/problem.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';

/**
 * The text of a case that a syntax error may have spoiled: an entry whose key is half written, else everything from
 * the key of the value with the error to the end of the case. Undefined if it is the whole case.
 *
 * @param item the case, by its place in `cases`
 */
export function spoiledRange(
  document: YamlDocument,
  { range }: Problem,
  item: number,
): Range | undefined {
  const { path, onKey } = document.pathAt(range.start);
  const [list, index, key] = path;
  if (list !== 'cases' || index !== item || key === undefined) return undefined;
  const owner: Path = [list, index, key];
  // What is wrong with a key spoils its entry alone; a value without its end may reach anywhere.
  if (onKey && path.length === owner.length) return document.entryRangeOf(owner);
  return { start: document.keyRangeOf(owner).start, end: document.rangeOf([list, index]).end };
}

/** Problems that text which is still to be written may solve. */
const MAY_BE_SOLVED: ReadonlySet<string> = new Set([
  'conversation-unfinished',
  'history-unfinished',
  'missing-context',
  'missing-fact',
  'missing-key',
  'missing-need',
  'missing-target',
  'no-assertion',
  'no-judge',
  'no-simulator',
  'not-reported',
  'nothing-to-judge',
  'prompt-or-instructions',
  'turns-or-transcript',
  'unanswered-tool',
  'unknown-variable',
  'unused-name',
  'useless-key',
]);

/** Whether a problem of a case is there whatever its spoiled text was meant to say. */
export function isCertain({ code, range }: Problem, spoiled: Range | undefined): boolean {
  if (!spoiled || MAY_BE_SOLVED.has(code)) return false;
  return isBefore(range.end, spoiled.start) || isBefore(spoiled.end, range.start);
}

function isBefore(one: Position, other: Position): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}
