import { escapeLine } from '../../core/presentation/markdown.ts';

/** A table whose cells show their text and do nothing else. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const row = (cells: readonly string[]) =>
    `| ${cells.map((one) => escapeLine(one)).join(' | ')} |`;
  return [row(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(row)].join('\n');
}
