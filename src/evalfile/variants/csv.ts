import { CsvError, parse } from 'csv-parse/sync';

/** A row of a CSV text and the line that it ends in, from 0. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * The rows of a CSV text. Cells are separated by commas, or by semicolons where the first line has no comma.
 * Empty lines are left out.
 *
 * @throws CsvFault
 */
export function readCsv(text: string): CsvRow[] {
  const [first = ''] = text.split('\n', 1);
  try {
    const rows: unknown = parse(text, {
      bom: true,
      delimiter: !first.includes(',') && first.includes(';') ? ';' : ',',
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
    });
    return (rows as readonly Raw[]).map(({ record, info }) => ({
      line: info.lines - 1,
      cells: record,
    }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new CsvFault(Number(error.lines ?? 1) - 1, WORDS[error.code] ?? 'It cannot be read.');
  }
}

interface Raw {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

const WORDS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'A quote is not closed.',
  CSV_INVALID_CLOSING_QUOTE: 'Text stands behind a closing quote.',
  INVALID_OPENING_QUOTE: 'A quote stands within a cell that does not begin with one.',
};

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
