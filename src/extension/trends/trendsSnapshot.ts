import { visibleLine } from '../../core/text/visibleText.ts';
import type { Trends } from '../../protocol/trendsProtocol.ts';
import type { RunTrend, TrendPoint } from '../../store/records/trends.ts';
import { runTitle, timeText } from '../runs/runText.ts';

/**
 * The trend for each eval file and, if there are several, for all of them together. If runs cover different files, the
 * total isn't meaningful, so it comes last, and the newest run's files come first.
 */
export function trendsSnapshot(trends: readonly RunTrend[]): Trends {
  const names = [
    ...new Set(trends.flatMap(({ points }) => points.map(({ suite }) => suite))),
  ].sort();
  const pointsOf = (pick: (trend: RunTrend) => TrendPoint | undefined) =>
    trends.flatMap((trend, run) => {
      const point = pick(trend);
      if (!point) return [];
      const { suite: _, ...numbers } = point;
      return [{ run, ...numbers }];
    });
  const all = { name: 'All eval files', points: pointsOf((trend) => trend.all) };
  const isSame = trends.every(({ points }) => points.length === names.length);
  const newest = trends.at(-1)?.points.map(({ suite }) => suite) ?? [];
  const ordered = isSame ? names : [...new Set([...newest, ...names])];
  const each = ordered.map((name) => ({
    name: visibleLine(name),
    points: pointsOf(({ points }) => points.find(({ suite }) => suite === name)),
  }));
  return {
    runs: trends.map(({ run }) => ({
      title: runTitle(run),
      time: timeText(new Date(run.run.started)),
      commit: run.run.commit?.slice(0, 8),
    })),
    suites: isSame ? [...(names.length === 1 ? [] : [all]), ...each] : [...each, all],
  };
}
