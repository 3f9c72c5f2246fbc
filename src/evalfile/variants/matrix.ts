import { CsvError, parse } from 'csv-parse/sync';
import { isMapping, type Mapping } from '../../core/data/data.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import { errorAt, type Problem } from '../../core/problem.ts';
import type { ReadCase } from '../case/caseSources.ts';
import { readReferenced } from '../referencedFiles.ts';
import { type Location, report, reportOnKey, within } from '../scope.ts';
import { lineFault, lineRange } from '../transcript.ts';

/** Values for one variant of a case. */
interface Combination {
  readonly name: string;
  readonly values: Mapping;
}

export interface Matrix {
  readonly combinations: readonly [Combination, ...Combination[]];
  /** Absolute path of the file that contains it; absent for an inline matrix. */
  readonly file?: string;
}

/** The combinations of a case's `matrix`; undefined if there are none, after reporting why. */
export async function matrixOf({ input, location }: ReadCase): Promise<Matrix | undefined> {
  const { matrix, context = {} } = input;
  if (matrix === undefined || location.scope.invalidKeys.has('matrix')) return undefined;
  const place = within(location, 'matrix');
  const isFile = typeof matrix === 'string';
  const found = isFile
    ? await rowsOf(matrix, place)
    : { combinations: combinationsOf(matrix, place) };
  const [first, ...rest] = found?.combinations ?? [];
  if (!found || !first) return undefined;
  for (const name of Object.keys(first.values).filter((one) => Object.hasOwn(context, one))) {
    const message = `\`context\` also has a key \`${name}\`. Rename one of them.`;
    if (isFile) report('matrix-collision', message, place);
    else reportOnKey('matrix-collision', message, within(place, name));
  }
  return { ...found, combinations: [first, ...rest] };
}

/** Combines each value of the first name with each value of the second name, and so on. */
function combinationsOf(
  written: Readonly<Record<string, readonly unknown[] | Mapping>>,
  place: Location,
): Combination[] {
  const axes = Object.entries(written).map(([name, values]) => ({
    name,
    choices: choicesOf(name, values, within(place, name)),
  }));
  if (axes.length === 0) {
    report('empty-matrix', 'The matrix is empty. Add a name with a list of values.', place);
    return [];
  }
  const count = axes.reduce((product, { choices }) => product * choices.length, 1);
  if (count > LIMITS.variants) {
    const message = `The matrix has ${readable(count)} combinations; the limit is ${readable(LIMITS.variants)}. Split the case.`;
    report('too-many-variants', message, place);
    return [];
  }
  if (!fitsInSuite(count, place)) return [];
  return axes.reduce<Combination[]>(
    (combined, { name, choices }) =>
      combined.flatMap((one) =>
        choices.map((choice) => ({
          name: one.name === '' ? choice.name : `${one.name}, ${choice.name}`,
          values: { ...one.values, [name]: choice.value },
        })),
      ),
    [{ name: '', values: {} }],
  );
}

/** Counts the combinations of a matrix. If the suite has too many, reports that. */
function fitsInSuite(count: number, place: Location): boolean {
  const { matrices } = place.scope;
  matrices.left -= count;
  if (matrices.left >= 0) return true;
  const message = `The matrices of the suite have more than ${readable(LIMITS.combinations)} combinations. Split the suite.`;
  report('too-many-variants', message, place);
  return false;
}

function choicesOf(name: string, values: readonly unknown[] | Mapping, place: Location) {
  const choices = Array.isArray(values)
    ? values.map((value, index) => ({ name: shortName(value) ?? `${name}-${index + 1}`, value }))
    : Object.entries(values).map(([id, value]) => ({ name: id, value }));
  if (choices.length === 0) {
    const message = `\`${name}\` has no values. Add one, or remove it.`;
    reportOnKey('empty-matrix', message, place);
  }
  const seen = new Set<string>();
  for (const [index, { value }] of choices.entries()) {
    const written = JSON.stringify(value);
    if (Array.isArray(values) && seen.has(written)) {
      const message =
        'This value is already in the list. Remove it; to run a case several times, use `repeat`.';
      report('duplicate-value', message, within(place, index));
    }
    seen.add(written);
  }
  return choices;
}

/** Values that are longer are named after their position. */
const MAX_NAME_LENGTH = 40;

/** The name of a value: its text, or its `id`; undefined if that isn't a usable name. */
function shortName(value: unknown): string | undefined {
  if (isMapping(value)) return shortName(value.id);
  if (!['string', 'number', 'boolean'].includes(typeof value)) return undefined;
  const text = String(value).trim();
  const isShort = text !== '' && text.length <= MAX_NAME_LENGTH && !/[\r\n]/.test(text);
  return isShort ? text : undefined;
}

async function rowsOf(reference: string, place: Location) {
  const found = await readReferenced(reference, place, 'matrix');
  if (!found) return undefined;
  const { path, text } = found;
  const add = (problem: Problem) => place.scope.reporter.add(problem, place.owner);
  const reportLine = (code: string, message: string, line: number) => {
    add(errorAt(path, lineRange(line), code, message));
  };
  const rows = path.endsWith('.csv')
    ? rowsOfCsv(text, reportLine)
    : rowsOfLines(text, path, reportLine, add);
  if (!rows) return undefined;
  if (rows.length === 0) reportLine('empty-matrix', 'The file has no rows.', 0);
  if (rows.length > LIMITS.variants) {
    const most = readable(LIMITS.variants);
    reportLine('too-many-variants', `The file has more than ${most} rows. Split it.`, 0);
    return undefined;
  }
  if (!fitsInSuite(rows.length, place)) return undefined;
  return { file: path, combinations: rows.map(namedRow) };
}

interface MatrixRow {
  readonly line: number;
  readonly values: Mapping;
}

/** Names a row after its `id`, or else its short values, or else its line number. */
function namedRow({ line, values }: MatrixRow): Combination {
  const names = Object.values(values).map(shortName);
  const joined = names.includes(undefined) ? undefined : shortName(names.join(', '));
  return { name: shortName(values.id) ?? joined ?? `line-${line + 1}`, values };
}

type ReportLine = (code: string, message: string, line: number) => void;

function rowsOfCsv(text: string, reportLine: ReportLine): MatrixRow[] | undefined {
  try {
    const [header, ...rows] = readCsv(text);
    const names = header?.cells.map((name) => name.trim()) ?? [];
    const seen = new Set(['']);
    const wrong = names.find((name) => seen.size === seen.add(name).size);
    if (wrong !== undefined) {
      const message = wrong === '' ? 'A column has no name.' : `Two columns are named "${wrong}".`;
      reportLine('wrong-header', message, header?.line ?? 0);
      return undefined;
    }
    const uneven = rows.filter(({ cells }) => cells.length !== names.length);
    for (const { line, cells } of uneven) {
      const message = `Expected ${names.length} cells, as in the first line, but found ${cells.length}.`;
      reportLine('wrong-row', message, line);
    }
    if (uneven.length > 0) return undefined;
    return rows.map(({ line, cells }) => ({
      line,
      values: Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])),
    }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const reason = CSV_FAULTS[error.code] ?? "It can't be read.";
    reportLine('csv-syntax', `This is not valid CSV. ${reason}`, Number(error.lines ?? 1) - 1);
    return undefined;
  }
}

function rowsOfLines(
  text: string,
  path: string,
  reportLine: ReportLine,
  add: (problem: Problem) => void,
): MatrixRow[] | undefined {
  const rows: MatrixRow[] = [];
  let names: string | undefined;
  let isWhole = true;
  for (const [line, content] of text.split(/\r?\n/).entries()) {
    if (content.trim() === '') continue;
    const fault = lineFault(content, line, path);
    const value: unknown = fault ? undefined : JSON.parse(content.replace(/^\uFEFF/, ' '));
    const own = isMapping(value) ? Object.keys(value).sort().join(', ') : undefined;
    names ??= own;
    if (fault) add(fault);
    else if (!isMapping(value))
      reportLine('wrong-row', 'Expected an object that maps names to values.', line);
    else if (own !== names) {
      reportLine(
        'wrong-row',
        `Expected the same names as in the other lines (${names}), found ${own}.`,
        line,
      );
    } else {
      rows.push({ line, values: value });
      continue;
    }
    isWhole = false;
  }
  return isWhole ? rows : undefined;
}

/**
 * Parses CSV into rows, each with the number of its last line, from 0. Cells are separated by commas, or by semicolons
 * if the first line has no comma. Empty lines are skipped.
 *
 * @throws CsvError
 */
export function readCsv(text: string) {
  const [first = ''] = text.split('\n', 1);
  const rows: unknown = parse(text, {
    bom: true,
    delimiter: !first.includes(',') && first.includes(';') ? ';' : ',',
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  return (rows as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => ({
    line: info.lines - 1,
    cells: record,
  }));
}

const CSV_FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'A quote is not closed.',
  CSV_INVALID_CLOSING_QUOTE: 'There is text after a closing quote.',
  INVALID_OPENING_QUOTE: "A cell contains a quote but doesn't start with one.",
};
