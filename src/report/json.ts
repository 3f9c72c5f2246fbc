import { summariesBySuite } from '../core/presentation/assertionSummary.ts';
import { passAtAll } from '../core/record/repetitions.ts';
import { mapCasePaths, mapRunPaths, recordedPath } from '../node/paths.ts';
import { variantJson } from './findings/variantReport.ts';
import type { ReportWriter } from './reporter.ts';
import { streamJson } from './streamJson.ts';

/** One JSON document with the run's record and totals: `{run, cases, assertions, pass_at_all, variants, end}`. */
export const writeJson: ReportWriter = function* (log) {
  const { run, cases, results, dataFolders, end = null } = log;
  const recorded = (suite: string) => (path: string) => {
    const dataFolder = dataFolders.get(suite);
    return dataFolder ? recordedPath(dataFolder, path) : path;
  };
  function* lines() {
    for (const line of log.lines()) yield mapCasePaths(line, recorded(line.suite));
  }
  const named = cases.map((one) => ({ ...one, suite: log.recordedSuite(one.suite) }));
  yield* streamJson({
    run: run ? mapRunPaths(run, (path, suite) => recorded(suite)(path)) : null,
    cases: lines(),
    assertions: summariesBySuite(named),
    pass_at_all: passAtAll(results.map((result) => result.lines)),
    variants: log.variants.map(variantJson),
    end,
  });
  yield '\n';
};
