/** The lines of an eval file's cases, numbered from 0. */
export interface CaseLines {
  readonly head: number;
  /** The line after the last case. */
  readonly end: number;
  readonly starts: readonly number[];
}

const CASES = /^\uFEFF?(["']?)cases\1[ \t]*:[ \t]*(?:#.*)?\r?$/;

/**
 * Where the cases stand, told by their indentation, so that what is broken in one of them does not
 * matter; undefined if they are no block list.
 *
 * @param typed a line that does not end the cases: it may be indented later
 */
export function caseLines(lines: readonly string[], typed?: number): CaseLines | undefined {
  const head = lines.findIndex((line) => line.length < 200 && CASES.test(line));
  if (head < 0) return undefined;
  const starts: number[] = [];
  let indent: number | undefined;
  for (let number = head + 1; number < lines.length; number += 1) {
    const line = lines[number] ?? '';
    const first = indentOf(line);
    // A tab is no indent: its line belongs to the case in which it was typed.
    if (first === undefined || line[first] === '\t') continue;
    const dash = isItem(line, first);
    if (number === typed && !(dash && (indent ?? first) === first)) continue;
    if (first === 0 && !(dash && (indent ?? 0) === 0)) return { head, end: number, starts };
    if (!dash && indent === undefined) return undefined;
    indent ??= first;
    if (dash && first < indent) return undefined;
    if (dash && first === indent) starts.push(number);
  }
  return { head, end: lines.length, starts };
}

/** The column at which a line begins; undefined if it is blank or a comment. */
export function indentOf(line = ''): number | undefined {
  let column = 0;
  while (line[column] === ' ') column += 1;
  const first = line[column];
  return first === undefined || first === '\r' || first === '#' ? undefined : column;
}

/** Whether a dash stands at a column that begins an item. */
export function isItem(line = '', column: number): boolean {
  const next = line[column + 1];
  return line[column] === '-' && (next === undefined || next === ' ' || next === '\r');
}
