import { visibleLine } from '../../core/presentation/visibleText.ts';
import type { Trends } from '../../protocol/trendsProtocol.ts';
import type { RunTrend, TrendPoint } from '../../store/runTrends.ts';
import { runTitle, timeText } from '../runs/runText.ts';

/** All eval files together, where there are several, then each. */
export function trendsSnapshot(trends: readonly RunTrend[]): Trends {
  const names = [
    ...new Set(trends.flatMap(({ points }) => points.map(({ suite }) => suite))),
  ].sort();
  const pointsOf = (pick: (trend: RunTrend) => TrendPoint | undefined) =>
    trends.flatMap((trend, run) => {
      const point = pick(trend);
      if (!point) return [];
      const { executions, passRate, score, cost, latency } = point;
      return [{ run, executions, passRate, score, cost, latency }];
    });
  const all = { name: 'All eval files', points: pointsOf((trend) => trend.all) };
  return {
    runs: trends.map(({ run }) => ({
      title: runTitle(run),
      time: timeText(new Date(run.run.started)),
      ...(run.run.commit !== undefined && { commit: run.run.commit.slice(0, 8) }),
    })),
    suites: [
      ...(names.length === 1 ? [] : [all]),
      ...names.map((name) => ({
        name: visibleLine(name),
        points: pointsOf(({ points }) => points.find(({ suite }) => suite === name)),
      })),
    ],
  };
}
