import { type CaseIdentity, caseKey } from '../../core/identity.ts';
import { historyText } from '../../core/record/caseHistory.ts';
import type { LatestRuns } from '../../store/records/latest.ts';

/** The history of the case that is shown. It is looked up beside the rest, since it may read ten records. */
export class ShownHistory {
  readonly #runs: Pick<LatestRuns, 'history'>;
  readonly #onFound: () => void;
  #key = '';
  #text: string | undefined;

  /** @param onFound there is something else to tell than before */
  constructor(runs: Pick<LatestRuns, 'history'>, onFound: () => void) {
    this.#runs = runs;
    this.#onFound = onFound;
  }

  /** What is known by now, as a sentence; it is looked up anew. */
  of(identity: CaseIdentity): string | undefined {
    const key = caseKey(identity);
    if (key !== this.#key) this.#text = undefined;
    this.#key = key;
    // Without it the view is as good as before.
    this.#look(identity).catch(() => {});
    return this.#text;
  }

  async #look(identity: CaseIdentity): Promise<void> {
    const found = await this.#runs.history(identity.suite, identity);
    const text = found && historyText(found);
    if (caseKey(identity) !== this.#key || text === this.#text) return;
    this.#text = text;
    this.#onFound();
  }
}
