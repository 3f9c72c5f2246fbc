import { agreementOf } from '../../analysis/agreement.ts';
import { type LabelledRuns, readLabelledRuns } from '../../analysis/readAgreement.ts';
import type { PlacedLabel } from '../../core/record/label.ts';
import type { Snapshot } from '../../protocol/viewProtocol.ts';

type Tally = NonNullable<Snapshot['labels']>['tallies'][number];

/** How often the judges of an eval file were right so far. It is known a while after it is asked for. */
export class Tallies {
  readonly #onChange: () => void;
  readonly #onError: (error: unknown) => void;
  #runs: { readonly key: string; readonly runs: LabelledRuns } | undefined;
  #reading: string | undefined;

  /** @param onChange more is known */
  constructor(onChange: () => void, onError: (error: unknown) => void) {
    this.#onChange = onChange;
    this.#onError = onError;
  }

  /**
   * @param file the eval file, absolute
   * @param labels all of its labels
   * @param record the newest that is known
   */
  of(file: string, labels: readonly PlacedLabel[], record: string): Tally[] {
    if (labels.length === 0) return [];
    // Other labels need no other runs, unless they are of another case.
    const cases = [...new Set(labels.map((one) => one.case))].sort();
    const key = JSON.stringify([file, record, cases]);
    if (this.#runs?.key !== key) this.#read(file, key);
    if (!this.#runs) return [];
    const { rows } = agreementOf(labels, this.#runs.runs.data);
    return rows.flatMap(({ judge, assertion, of, compared, confusion }) => {
      if (!assertion || compared === 0) return [];
      const right = confusion.failFail + confusion.passPass;
      return [{ judge, assertion: assertion.key, of, right, compared }];
    });
  }

  #read(file: string, key: string): void {
    if (this.#reading === key) return;
    this.#reading = key;
    readLabelledRuns([file]).then((runs) => {
      if (this.#reading !== key || !runs) return;
      this.#runs = { key, runs };
      this.#onChange();
    }, this.#onError);
  }
}
