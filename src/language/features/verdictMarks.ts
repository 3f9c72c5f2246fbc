import { groupBy } from '../../core/data/data.ts';
import { stepsOf } from '../../core/steps.ts';
import { WORST_FIRST } from '../../core/verdict.ts';
import type { CasesNow } from '../../evalfile/caseChanges.ts';
import type { VerdictMark } from '../../protocol/verdictMarks.ts';
import type { EvalDocument, LastRuns } from '../ports.ts';
import { type JudgedCase, judgedCase } from './judgedTurns.ts';

/** One mark for each line where judged turns begin: the worst of them. */
export async function verdictMarks(
  { suite }: EvalDocument,
  lastRuns: LastRuns,
  casesNow?: CasesNow,
): Promise<VerdictMark[]> {
  const shown = suite.outline.filter(({ path }) => path === suite.path);
  const step = stepsOf();
  const cases: JudgedCase[] = [];
  for (const one of shown) {
    await step();
    cases.push(await judgedCase(suite, one, lastRuns, casesNow));
  }
  const judged = cases.flatMap(({ turns, change }) =>
    [...turns].map(([{ range }, badges]) => ({
      line: range.start.line,
      badges,
      stale: change !== undefined,
    })),
  );
  return [...groupBy(judged, ({ line }) => line)].flatMap(([line, all]) => {
    const statuses = all.flatMap((one) => one.badges.map(({ badge }) => badge.status));
    const status = WORST_FIRST.find((one) => statuses.includes(one));
    return status ? [{ line, status, stale: all.some(({ stale }) => stale) }] : [];
  });
}
