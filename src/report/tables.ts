import stringWidth from 'string-width';
import { escapeLine } from '../core/text/markdown.ts';

/** Separates cells if no lines are drawn. */
const GAP = '  ';

export function plainTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return layOutTable(head, rows, false).text();
}

/**
 * Takes time linear in the number of cells.
 *
 * @param boxed whether to draw lines around the cells
 * @param numbers indexes of right-aligned columns
 * @returns the width in terminal columns, and a function that returns the text
 */
export function layOutTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  boxed: boolean,
  numbers: readonly number[] = [],
): { readonly width: number; readonly text: () => string } {
  // In a large table, most cells are identical.
  const known = new Map<string, number>();
  const ofCell = (cell: string) => {
    const width = known.get(cell) ?? (ASCII.test(cell) ? cell.length : stringWidth(cell));
    known.set(cell, width);
    return width;
  };
  const widths: number[] = [];
  for (const row of [head, ...rows]) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, ofCell(cell));
    }
  }
  const rowOf = (cells: readonly string[]) => {
    const padded = widths.map((width, column) => {
      const cell = cells[column] ?? '';
      const pad = ' '.repeat(width - ofCell(cell));
      return numbers.includes(column) ? pad + cell : cell + pad;
    });
    return boxed ? `│ ${padded.join(' │ ')} │` : padded.join(GAP).trimEnd();
  };
  const line = (left: string, middle: string, right: string) =>
    `${left}${widths.map((width) => '─'.repeat(width + 2)).join(middle)}${right}`;
  const text = () => {
    const texts = rows.map(rowOf);
    if (!boxed) return [rowOf(head), ...texts].join('\n');
    return [
      line('┌', '┬', '┐'),
      rowOf(head),
      line('├', '┼', '┤'),
      ...texts,
      line('└', '┴', '┘'),
    ].join('\n');
  };
  const cells = widths.reduce((sum, width) => sum + width, 0);
  const between = boxed ? 3 * widths.length + 1 : GAP.length * (widths.length - 1);
  return { width: cells + between, text };
}

const ASCII = /^[ -~]*$/;

/** @param lengths maximum number of characters per column */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  lengths: readonly number[] = [],
): string {
  const row = (cells: readonly string[]) =>
    `| ${cells.map((one, column) => escapeLine(one, lengths[column])).join(' | ')} |`;
  return [row(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(row)].join('\n');
}

export function markdownList(texts: readonly string[], length?: number): string {
  return texts.map((one) => `- ${escapeLine(one, length)}`).join('\n');
}
