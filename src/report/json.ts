import { visibleJson } from '../core/presentation/visibleText.ts';
import { mapCasePaths, mapRunPaths, recordedPath } from '../core/recordPaths.ts';
import type { CaseLine, RunLine } from '../core/runRecord.ts';
import type { RunEvent } from '../runner/events.ts';
import { passAtAll } from '../runner/repetitions.ts';
import { summariesBySuite } from './assertionSummary.ts';
import { type Reporter, RunLog } from './reporter.ts';

/** One JSON document with what the run's record holds, and sums: `{run, cases, assertions, pass_at_all, end}`. */
export class JsonReporter implements Reporter {
  readonly #log = new RunLog();

  event(event: RunEvent): void {
    this.#log.add(event);
  }

  finish(): string {
    const { run, cases, end = null } = this.#log;
    const recorded = cases.map((line) => this.#recordedCase(line));
    const report = {
      run: run ? this.#recordedRun(run) : null,
      cases: recorded,
      assertions: summariesBySuite(recorded),
      pass_at_all: passAtAll(this.#log.results.map(({ lines }) => lines)),
      end,
    };
    return `${visibleJson(report)}\n`;
  }

  #recordedRun(run: RunLine): RunLine {
    return mapRunPaths(run, (path) => this.#recorded(path, path));
  }

  #recordedCase(line: CaseLine): CaseLine {
    return mapCasePaths(line, (path) => this.#recorded(line.suite, path));
  }

  #recorded(suite: string, path: string): string {
    const home = this.#log.homes.get(suite);
    return home ? recordedPath(home, path) : path;
  }
}
