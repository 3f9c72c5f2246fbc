/** A row of a CSV text and the line that it begins in, from 0. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * The rows of a CSV text (RFC 4180): cells may be quoted, and hold quotes twice and line breaks then. Cells are
 * separated by commas, or by semicolons where the first line has no comma. Empty lines are left out.
 */
export function readCsv(text: string): CsvRow[] {
  const source = text.replace(/^\uFEFF/, '');
  const [first = ''] = source.split('\n', 1);
  const separator = !first.includes(',') && first.includes(';') ? ';' : ',';
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let line = 0;
  let begun = 0;
  const cell = new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)"|((?!")[^${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`,
    'y',
  );
  while (cell.lastIndex < source.length) {
    const at = cell.lastIndex;
    const found = cell.exec(source);
    if (!found) throw new CsvFault(line, 'A quote is not closed, or text stands behind it.');
    const [whole, quoted, plain = '', end = ''] = found;
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    line += whole.split('\n').length - 1;
    if (end === separator && cell.lastIndex < source.length) continue;
    if (end === separator) cells.push('');
    if (cells.length > 1 || cells[0] !== '' || quoted !== undefined)
      rows.push({ line: begun, cells });
    cells = [];
    begun = line;
    // An empty match at the end of the text would be found for ever.
    if (cell.lastIndex === at) break;
  }
  return rows;
}

/** Where a text is no CSV. */
export class CsvFault extends Error {
  override readonly name = 'CsvFault';
  /** From 0. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}
