import { combineLines, countCases, type RepeatedLine } from '../../core/record/repetitions.ts';
import type { EndLine } from '../../core/record/runRecord.ts';
import { endedState } from '../../core/record/runState.ts';
import { counted } from '../../core/text/format.ts';
import type { Status } from '../../core/verdict.ts';

/** The progress of a run. */
export interface RunCount {
  /** Number of executions. */
  readonly total: number;
  /** Number of executions with an outcome. */
  readonly done: number;
  /** Number of cases by status, with repetitions combined. */
  readonly ended: Readonly<Record<Status, number>>;
  readonly over: boolean;
  /** Whether the run ended early, with an unknown number of remaining executions. */
  readonly cutShort?: boolean;
  /** Number of queued runs. */
  readonly waiting?: number;
}

export const EMPTY_COUNT: RunCount = {
  total: 0,
  done: 0,
  ended: { pass: 0, fail: 0, error: 0, skipped: 0 },
  over: false,
};

/** The result of another process's run. */
export function recordedCount(lines: readonly RepeatedLine[], end: EndLine): RunCount {
  const cutShort = endedState(end) !== 'finished';
  const { length } = lines;
  return { total: length, done: length, ended: countCases(lines), over: true, cutShort };
}

/** @param known the earlier outcomes of the same case */
export function addOutcome(
  count: RunCount,
  line: RepeatedLine,
  known: readonly RepeatedLine[],
): RunCount {
  const ended = { ...count.ended };
  if (known.length > 0) ended[combineLines(known).status] -= 1;
  ended[combineLines([...known, line]).status] += 1;
  return { ...count, done: count.done + 1, ended };
}

/** @param lines all outcomes of some cases */
export function subtractCases(count: RunCount, lines: readonly RepeatedLine[]): RunCount {
  const { pass, fail, error, skipped } = countCases(lines);
  const { ended } = count;
  return {
    ...count,
    total: count.total - lines.length,
    done: count.done - lines.length,
    ended: {
      pass: ended.pass - pass,
      fail: ended.fail - fail,
      error: ended.error - error,
      skipped: ended.skipped - skipped,
    },
  };
}

/** Text for the status bar. `$(…)` is a VS Code icon. */
export function runStatusText({
  total,
  done,
  ended,
  over,
  cutShort,
  waiting = 0,
}: RunCount): string {
  const { pass, fail, error, skipped } = ended;
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
