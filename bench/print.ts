import { layOutTable } from '../src/report/tables.ts';

export interface Aim {
  readonly aim: string;
  readonly measured: string;
  /** Whether the aim was met; undefined if it couldn't be measured. */
  readonly met?: boolean | undefined;
}

export interface Result {
  readonly date: string;
  /** Problems that make the numbers meaningless. */
  readonly faults: readonly string[];
}

/** Prints a benchmark's measurements as text, or as JSON with `--json`. Sets exit code 1 if there are faults. */
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

/** Reports progress on standard error, since the result goes to standard output. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** @param texts names of columns with text; all others contain numbers */
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
