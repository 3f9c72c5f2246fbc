import type { GridContent, Place } from './gridRows.ts';
import { nextFailing } from './model.ts';

/** Where a key leads to; undefined where nowhere. @param page rows of a page */
export function placeFor(
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
  { row, column }: Place,
  { table, rows, columns }: GridContent,
  page: number,
): Place | undefined {
  const far = ctrlKey || metaKey;
  if (altKey) return undefined;
  switch (key) {
    case 'ArrowDown':
      return { row: row + 1, column };
    case 'ArrowUp':
      return { row: row - 1, column };
    case 'ArrowRight':
      return { row, column: column + 1 };
    case 'ArrowLeft':
      return { row, column: column - 1 };
    case 'PageDown':
      return { row: row + page, column };
    case 'PageUp':
      return { row: Math.max(0, row - page), column };
    case 'Home':
      return { row: far ? 0 : row, column: 0 };
    case 'End':
      return { row: far ? rows.length - 1 : row, column: columns.length - 1 };
    case 'n':
    case 'p': {
      const found = !far && nextFailing(table, rows, row, key === 'n' ? 1 : -1);
      return typeof found === 'number' ? { row: found, column } : undefined;
    }
    default:
      return undefined;
  }
}
