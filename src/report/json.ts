import { visibleJson } from '../core/presentation/visibleText.ts';
import type { RunEvent } from '../runner/events.ts';
import { type Reporter, RunLog } from './reporter.ts';

/** One JSON document with what the run's record holds: `{run, cases, end}`. */
export class JsonReporter implements Reporter {
  readonly #log = new RunLog();

  event(event: RunEvent): void {
    this.#log.add(event);
  }

  finish(): string {
    const { run = null, cases, end = null } = this.#log;
    return `${visibleJson({ run, cases, end })}\n`;
  }
}
