import Table from 'cli-table3';
import { aimsOf, kilobytes, megabytes, ratio } from './aims.ts';
import { type BenchResult, MEMORY_LINES } from './bench.ts';
import { DIAGNOSTICS } from './measure.ts';

/** The tables and the aims, as plain text. */
export function reportOf(result: BenchResult): string {
  const { rival, files, memory, faults } = result;
  const times = table(
    ['lines', 'what', 'Turnlight', rival, '× faster', '× bare parse', 'answers'],
    files.flatMap(({ lines, bareParse, rows }) => [
      [String(lines), 'bare parse', milliseconds(bareParse), '', '', '', ''],
      ...rows.map(({ what, ours, theirs }) => [
        String(lines),
        what,
        milliseconds(ours?.time),
        milliseconds(theirs?.time),
        ours && theirs ? ratio(theirs.time / ours.time) : '',
        ours && what === DIAGNOSTICS ? ratio(ours.time / bareParse) : '',
        [ours, theirs].map((one) => (one ? kilobytes(one.size) : '–')).join(', '),
      ]),
    ]),
  );
  const memories = table(
    [`files of ${MEMORY_LINES} lines open`, 'Turnlight', rival],
    memory.map((one) => [String(one.files), megabytes(one.ours), megabytes(one.theirs)]),
  );
  const aims = aimsOf(result).map(({ aim, measured, met }) => {
    const mark = met === undefined ? 'NOT MEASURED' : met ? 'met' : 'MISSED';
    return `  ${mark}: ${aim}: ${measured}.`;
  });
  return [
    `How fast the language server answers, ${result.date}`,
    times,
    '',
    memories,
    '',
    ...faults.map((fault) => `WRONG: ${fault}`),
    'Aims',
    ...aims,
  ].join('\n');
}

function table(head: readonly string[], rows: readonly string[][]): string {
  const made = new Table({
    head: [...head],
    style: { head: [], border: [], compact: true },
    colAligns: head.map((name) => (name === 'what' ? 'left' : 'right')),
  });
  made.push(...rows);
  return made.toString();
}

function milliseconds(value: number | undefined): string {
  if (value === undefined) return '–';
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}
