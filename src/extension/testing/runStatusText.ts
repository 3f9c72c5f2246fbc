import type { Status } from '../../core/verdict.ts';

/** How far a run has come: its executions, and how many of them ended in each way. */
export interface RunCount {
  readonly total: number;
  readonly ended: Readonly<Record<Status, number>>;
  readonly over: boolean;
}

export const NOTHING_RUN: RunCount = {
  total: 0,
  ended: { pass: 0, fail: 0, error: 0, skipped: 0 },
  over: false,
};

/** For the status bar; `$(…)` are VS Code's icons. */
export function runStatusText({ total, ended, over }: RunCount): string {
  const { pass, fail, error, skipped } = ended;
  const done = pass + fail + error + skipped;
  const bad = [...(fail > 0 ? [`${fail} failed`] : []), ...(error > 0 ? [`${error} errored`] : [])];
  if (!over) return `$(sync~spin) Evals ${[`${done} of ${total}`, ...bad].join(', ')}`;
  const left = total - done;
  const parts = [
    ...bad,
    ...(pass > 0 ? [`${pass} passed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(left > 0 ? [`${left} not run`] : []),
  ];
  const icon = bad.length > 0 ? '$(error)' : left > 0 || pass === 0 ? '$(circle-slash)' : '$(pass)';
  return `${icon} Evals ${parts.length > 0 ? parts.join(', ') : 'not run'}`;
}
