import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { agreementOf, type LabelledRuns, readLabelledRuns } from '../../analysis/agreement.ts';
import { unreachable } from '../../core/errors.ts';
import { labelProblemTexts } from '../../core/presentation/words.ts';
import type { PlacedLabel } from '../../core/record/label.ts';
import { labelsFolder } from '../../node/paths.ts';
import type { FromView, Snapshot } from '../../protocol/viewProtocol.ts';
import { readLabels } from '../../store/labels.ts';
import type { FoundCase } from '../../store/records/latest.ts';
import { LabelBook, type Labelled } from '../labels/labelBook.ts';
import { opinionsOn } from '../labels/opinionsOn.ts';
import { personAt } from '../labels/person.ts';

type Asked = Extract<FromView, { kind: 'label' | 'remove-label' | 'undo-label' }>;

/** Labels of the case that a view shows. */
export class CaseLabels {
  readonly #book = new LabelBook();
  readonly #tallies: Tallies;
  #labelled: Labelled | undefined;

  /** @param onChange more is known of what people say */
  constructor(onChange: () => void, onError: (error: unknown) => void) {
    this.#tallies = new Tallies(onChange, onError);
  }

  /** Another case is shown: what was said of this one is no longer undone. */
  forget(): void {
    this.#book.forget();
    this.#labelled = undefined;
  }

  /** @param file the eval file, absolute @param found what is shown; undefined where it has not ended */
  async read(file: string, found: FoundCase | undefined): Promise<Snapshot['labels']> {
    this.#labelled = undefined;
    // A record from elsewhere may be of a file that is not here.
    if (!found || !existsSync(file)) return undefined;
    const { line, record } = found;
    const person = await personAt(file);
    this.#labelled = { file, person, line };
    const { labels, problems } = await readLabels(file);
    const tallies = this.#tallies.of(file, labels, record);
    return {
      person,
      given: opinionsOn(line, labels),
      tallies,
      undo: this.#book.canUndo,
      problems: labelProblemTexts(problems, (path) => vscode.workspace.asRelativePath(path)),
    };
  }

  /** @throws UnwritableError */
  async write(asked: Asked): Promise<void> {
    const labelled = this.#labelled;
    if (!labelled) return;
    switch (asked.kind) {
      case 'label': {
        const { kind: _kind, ...said } = asked;
        await this.#book.say(labelled, said);
        break;
      }
      case 'remove-label':
        await this.#book.takeBack(labelled, asked);
        break;
      case 'undo-label':
        await this.#book.undo();
        break;
      default:
        unreachable(asked);
    }
  }
}

/** Whether a file is one of an eval file's labels. Both are absolute. */
export function isLabelFile(path: string, evalFile: string): boolean {
  return path.endsWith('.jsonl') && dirname(path) === labelsFolder(evalFile);
}

type Tally = NonNullable<Snapshot['labels']>['tallies'][number];

/** How often the judges of an eval file were right so far. It is known a while after it is asked for. */
class Tallies {
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
