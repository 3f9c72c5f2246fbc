import { visibleJson } from '../core/presentation/visibleText.ts';
import { mapCasePaths, mapRunPaths, recordedPath } from '../core/record/recordPaths.ts';
import { passAtAll } from '../runner/repetitions.ts';
import { summariesBySuite } from './assertionSummary.ts';
import type { Report } from './reporter.ts';

/** One JSON document with what the run's record holds, and sums: `{run, cases, assertions, pass_at_all, end}`. */
export const writeJson: Report = ({ run, cases, results, homes, end = null }) => {
  const recorded = (suite: string) => (path: string) => {
    const home = homes.get(suite);
    return home ? recordedPath(home, path) : path;
  };
  const lines = cases.map((line) => mapCasePaths(line, recorded(line.suite)));
  const report = {
    run: run ? mapRunPaths(run, (path) => recorded(path)(path)) : null,
    cases: lines,
    assertions: summariesBySuite(lines),
    pass_at_all: passAtAll(results.map((result) => result.lines)),
    end,
  };
  return `${visibleJson(report)}\n`;
};
