import { turnsOf } from '../core/conversation.ts';
import { executionKey } from '../core/identity.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { mapCasePaths } from '../node/paths.ts';
import { lostLine } from '../runner/case/caseLine.ts';
import { openCase } from '../runner/case/ended.ts';
import type { PlannedCase } from '../runner/caseRunner.ts';
import type { RunEvent } from '../runner/events.ts';
import { readLine, staysInside } from './messages.ts';
import { ownPath, sharedPath } from './sharedFiles.ts';

export interface Telling {
  /** The folder from which files are named. */
  readonly root: string;
  readonly scrubber: Scrubber;
  readonly onEvent: (event: RunEvent) => void;
}

/** Tells of cases that ran elsewhere as if they had run here. */
export class Returned {
  readonly #options: Telling;
  readonly #began = new Map<string, Promise<void>>();

  constructor(options: Telling) {
    this.#options = options;
  }

  /** A worker has taken the case; another one may have to take it again. */
  began({ ref, case: suiteCase }: PlannedCase): Promise<void> {
    const key = executionKey(ref);
    const known = this.#began.get(key);
    if (known) return known;
    const telling = openCase(suiteCase).then((opened) =>
      this.#options.onEvent({ kind: 'case-started', ref, case: opened.suiteCase }),
    );
    this.#began.set(key, telling);
    return telling;
  }

  /** @param text a line as a worker wrote it */
  async came(planned: PlannedCase, text: unknown): Promise<CaseLine> {
    const line = this.#lineOf(planned, text);
    if (!line) return this.lost(planned, 'Its worker sent what is no result of it.');
    await this.began(planned);
    const { onEvent } = this.#options;
    const { ref } = planned;
    for (const turn of turnsOf(line.conversation)) onEvent({ kind: 'turn', ref, turn });
    for (const verdict of line.verdicts) onEvent({ kind: 'verdict', ref, verdict });
    this.#began.delete(executionKey(ref));
    return line;
  }

  async lost(planned: PlannedCase, why = 'Its worker failed.'): Promise<CaseLine> {
    await this.began(planned);
    this.#began.delete(executionKey(planned.ref));
    return this.#options.scrubber.data(lostLine(planned, `worker-lost: ${why.slice(0, 1_000)}`));
  }

  #lineOf({ ref, case: suiteCase }: PlannedCase, text: unknown): CaseLine | undefined {
    const { root, scrubber } = this.#options;
    const line = readLine(text);
    if (!line || line.suite !== sharedPath(ref.suite, root)) return undefined;
    let leadsOut = false;
    const absolute = mapCasePaths(line, (path) => {
      leadsOut ||= !staysInside(path);
      return ownPath(path, root);
    });
    const isIt = executionKey(absolute) === executionKey(ref);
    if (leadsOut || !isIt || line.source.hash !== suiteCase.source.hash) return undefined;
    return scrubber.data(absolute);
  }
}
