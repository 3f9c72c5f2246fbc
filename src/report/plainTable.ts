import stringWidth from 'string-width';

/** Between the cells of a row that has no lines. */
const GAP = '  ';

/**
 * Rows under a head, in time linear in the cells.
 *
 * @param boxed with lines around the cells, for a terminal
 * @param numbers columns that are aligned at the right, counted from 0
 */
export function plainTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  boxed: boolean,
  numbers: readonly number[] = [],
): string {
  const ofCell = measuring();
  const widths = columnWidths([head, ...rows], ofCell);
  const rowOf = (cells: readonly string[]) => {
    const padded = widths.map((width, column) => {
      const cell = cells[column] ?? '';
      const pad = ' '.repeat(width - ofCell(cell));
      return numbers.includes(column) ? pad + cell : cell + pad;
    });
    return boxed ? `│ ${padded.join(' │ ')} │` : padded.join(GAP).trimEnd();
  };
  const texts = rows.map(rowOf);
  if (!boxed) return [rowOf(head), ...texts].join('\n');
  const line = (left: string, middle: string, right: string) =>
    `${left}${widths.map((width) => '─'.repeat(width + 2)).join(middle)}${right}`;
  return [
    line('┌', '┬', '┐'),
    rowOf(head),
    line('├', '┼', '┤'),
    ...texts,
    line('└', '┴', '┘'),
  ].join('\n');
}

/** Columns of a terminal that each column takes, without what is between them. */
export function columnWidths(
  rows: readonly (readonly string[])[],
  ofCell: (cell: string) => number = measuring(),
): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, ofCell(cell));
    }
  }
  return widths;
}

/** Measures each text once: most cells of a large table say the same. */
function measuring(): (cell: string) => number {
  const known = new Map<string, number>();
  return (cell) => {
    const width = known.get(cell) ?? stringWidth(cell);
    known.set(cell, width);
    return width;
  };
}

/** Columns of a terminal that a row takes. */
export function widthOf(widths: readonly number[], boxed: boolean): number {
  const cells = widths.reduce((sum, width) => sum + width, 0);
  return boxed ? cells + 3 * widths.length + 1 : cells + GAP.length * (widths.length - 1);
}
