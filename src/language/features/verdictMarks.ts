import { groupBy } from '../../core/data/data.ts';
import { badgeOf } from '../../core/scoring.ts';
import type { VerdictMark } from '../../protocol/verdictMarks.ts';
import type { EvalDocument, LastRuns } from '../ports.ts';
import { judgedCase } from './judgedTurns.ts';

/** One mark for each line where judged turns begin: the worst of them. */
export async function verdictMarks(
  { suite }: EvalDocument,
  lastRuns: LastRuns,
): Promise<VerdictMark[]> {
  const shown = suite.outline.filter(({ path }) => path === suite.path);
  const cases = await Promise.all(shown.map((one) => judgedCase(suite.path, one, lastRuns)));
  const judged = cases.flatMap(({ turns, stale }) =>
    [...turns].map(([{ range }, badges]) => ({ line: range.start.line, badges, stale })),
  );
  return [...groupBy(judged, ({ line }) => line)].flatMap(([line, all]) => {
    const badges = all.flatMap((one) => one.badges);
    const badge = badgeOf(badges.flatMap((one) => one.badge.entries));
    return badge ? [{ line, status: badge.status, stale: all.some(({ stale }) => stale) }] : [];
  });
}
