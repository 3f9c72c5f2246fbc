import { type ReportWriter, RunLog } from '../../src/report/reporter.ts';
import type { RunEvent } from '../../src/runner/events.ts';

/** The text of a report about a run. Paths are relative to `/work`. */
export function reported(write: ReportWriter, events: readonly RunEvent[]): string {
  const log = new RunLog();
  for (const event of events) log.add(event);
  return [...write(log, '/work')].join('');
}
