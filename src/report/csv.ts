import { stringify } from 'csv-stringify/sync';
import type { CaseLine } from '../core/record/runRecord.ts';
import { plainLog, visibleLine } from '../core/text/visibleText.ts';
import type { TurnVerdict, Verdict } from '../core/verdict.ts';
import type { ReportWriter } from './reporter.ts';

type Cell = string | number | undefined | null;

/** The columns and how to fill their cells. A row without a `turn` is about the whole conversation. */
const COLUMNS: Readonly<
  Record<string, (line: CaseLine, verdict?: Verdict, turn?: TurnVerdict) => Cell>
> = {
  suite: ({ suite }) => suite,
  case: ({ id }) => id,
  variant: ({ variant }) => variant,
  target_variant: ({ target_variant }) => target_variant?.name,
  repetition: ({ repetition }) => repetition,
  case_status: ({ status }) => status,
  case_score: ({ score }) => score,
  case_reason: ({ reason }) => reason,
  stop_reason: ({ stop_reason }) => stop_reason,
  stop_rationale: ({ stop_rationale }) => stop_rationale,
  assertion: (_line, verdict) => verdict?.assertion.name,
  type: (_line, verdict) => verdict?.assertion.type,
  required: (_line, verdict) => verdict && String(verdict.assertion.required),
  turn: (_line, _verdict, turn) => turn?.turn,
  status: (_line, verdict, turn) => (turn ?? verdict)?.status,
  score: (_line, verdict, turn) => (turn ?? verdict)?.score,
  threshold: (_line, verdict) => verdict?.threshold,
  label: (_line, verdict, turn) => (turn ?? verdict)?.label,
  value: (_line, verdict, turn) => (turn ? undefined : verdict?.value),
  reason: (_line, verdict) => verdict?.reason,
  rationale: (_line, verdict, turn) => (turn ?? verdict)?.rationale,
  quote: (_line, _verdict, turn) => turn?.evidence?.text,
  judge: (_line, verdict) => verdict?.judge?.model,
};

/** One row per verdict, followed by one per judged turn. A case without verdicts has one row. */
export const writeCsv: ReportWriter = function* (log) {
  yield csvText([Object.keys(COLUMNS)]);
  for (const line of log.lines()) {
    yield csvText(rowsOf({ ...line, suite: log.recordedSuite(line.suite) }));
  }
};

/**
 * Escapes formulas: spreadsheets evaluate a cell that begins with `=`, and some start a new cell after a `;` or a tab
 * as well.
 */
function csvText(rows: Cell[][]): string {
  return stringify(
    rows.map((row) => row.map(withoutFormulas)),
    { escape_formulas: true },
  );
}

function withoutFormulas(cell: Cell): Cell {
  if (typeof cell !== 'string') return cell;
  return cell.replaceAll(/([;\t]\s*)([=+\-@]?)/g, (_, gap, sign) =>
    sign ? `${gap}'${sign}` : gap,
  );
}

function rowsOf(line: CaseLine): Cell[][] {
  const row = (verdict?: Verdict, turn?: TurnVerdict) =>
    Object.values(COLUMNS).map((cellOf) => {
      const cell = cellOf(line, verdict, turn);
      return typeof cell === 'string' ? plainLog(visibleLine(cell)) : cell;
    });
  if (line.verdicts.length === 0) return [row()];
  return line.verdicts
    .flatMap(withNested)
    .flatMap((verdict) => [row(verdict), ...verdict.turns.map((turn) => row(verdict, turn))]);
}

function withNested(verdict: Verdict): Verdict[] {
  return [verdict, ...(verdict.nested ?? []).flatMap(withNested)];
}
