import type { CaseLine, EndLine } from '../../core/record/runRecord.ts';
import { counted } from '../../core/text/format.ts';
import type { Status } from '../../core/verdict.ts';

/** The progress of a run: number of executions, and how they ended. */
export interface RunCount {
  readonly total: number;
  readonly ended: Readonly<Record<Status, number>>;
  readonly over: boolean;
  /** Whether the run ended early, with an unknown number of remaining executions. */
  readonly cutShort?: boolean;
  /** Number of queued runs. */
  readonly waiting?: number;
}

export const EMPTY_COUNT: RunCount = {
  total: 0,
  ended: { pass: 0, fail: 0, error: 0, skipped: 0 },
  over: false,
};

/** The result of a run of another process. */
export function recordedCount(lines: readonly Pick<CaseLine, 'status'>[], end: EndLine): RunCount {
  const ended = { ...EMPTY_COUNT.ended };
  for (const { status } of lines) ended[status] += 1;
  const cutShort = end.cancelled || end.stopped !== undefined;
  return { total: lines.length, ended, over: true, cutShort };
}

export function subtractCounts(
  count: RunCount,
  lines: readonly Pick<CaseLine, 'status'>[],
): RunCount {
  const ended = { ...count.ended };
  for (const { status } of lines) ended[status] -= 1;
  return { ...count, total: count.total - lines.length, ended };
}

/** Text for the status bar. `$(…)` is a VS Code icon. */
export function runStatusText({ total, ended, over, cutShort, waiting = 0 }: RunCount): string {
  const { pass, fail, error, skipped } = ended;
  const done = pass + fail + error + skipped;
  const bad = [...(fail > 0 ? [`${fail} failed`] : []), ...(error > 0 ? [`${error} errored`] : [])];
  // The total is unknown before the run starts, for example while a dialog is open.
  const known = total === 0 ? [] : [`${done} of ${total}`];
  const behind = waiting === 0 ? [] : [`${counted(waiting, 'run')} waiting`];
  if (!over) return `$(sync~spin) Evals ${[...known, ...bad, ...behind].join(', ')}`.trimEnd();
  const left = total - done;
  const parts = [
    ...bad,
    ...(pass > 0 ? [`${pass} passed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(left > 0 ? [`${left} not run`] : cutShort ? ['the rest not run'] : []),
  ];
  const whole = left === 0 && !cutShort;
  const icon = bad.length > 0 ? '$(error)' : !whole || pass === 0 ? '$(circle-slash)' : '$(pass)';
  return `${icon} Evals ${parts.length > 0 ? parts.join(', ') : 'not run'}`;
}
