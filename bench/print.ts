import { layOutTable } from '../src/report/tables.ts';

export interface Aim {
  readonly aim: string;
  readonly measured: string;
  /** Absent if it could not be measured. */
  readonly met?: boolean | undefined;
}

export interface Result {
  readonly date: string;
  /** What went otherwise than it must for the numbers to mean anything. */
  readonly faults: readonly string[];
}

/** Prints what a benchmark measured, as text or with `--json`; ends with exit code 1 if it has faults. */
export function print(title: string, result: Result, tables: readonly string[], aims: Aim[]): void {
  const text = [
    `${title}, ${result.date}`,
    ...tables,
    ...result.faults.map((fault) => `WRONG: ${fault}`),
    'Aims',
    ...aims.map(({ aim, measured, met }) => {
      const mark = met === undefined ? 'NOT MEASURED' : met ? 'met' : 'MISSED';
      return `  ${mark}: ${aim}: ${measured}.`;
    }),
  ];
  const asJson = process.argv.includes('--json');
  console.log(asJson ? JSON.stringify({ ...result, aims }, null, 2) : text.join('\n'));
  if (result.faults.length > 0) process.exitCode = 1;
}

/** Says what is going on, beside the result on standard output. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** @param texts columns of text; all others hold numbers */
export function table(
  head: readonly string[],
  rows: readonly string[][],
  texts: readonly string[],
): string {
  const numbers = head.flatMap((name, column) => (texts.includes(name) ? [] : [column]));
  return `${layOutTable(head, rows, true, numbers).text()}\n`;
}

export function ratio(times: number): string {
  return Number.isFinite(times) ? `${times.toFixed(1)} ×` : '–';
}
