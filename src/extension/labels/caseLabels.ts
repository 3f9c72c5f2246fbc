import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import {
  agreementOf,
  type LabeledRuns,
  readLabeledRuns,
  verdictsIn,
} from '../../analysis/agreement.ts';
import { labelProblemTexts } from '../../core/presentation/words.ts';
import type { HasCase, PlacedLabel } from '../../core/record/label.ts';
import { gitOutput } from '../../disk/git.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { labelsFolder, personName } from '../../node/paths.ts';
import { SECTION, SETTINGS } from '../../protocol/names.ts';
import type { FromView, Snapshot } from '../../protocol/viewProtocol.ts';
import { readLabels } from '../../store/labels.ts';
import type { FoundCase } from '../../store/records/latest.ts';
import { casesIn } from '../workspace.ts';
import { LabelEditor, type LabelTarget } from './labelEditor.ts';
import { type OtherCases, opinionsOn } from './opinionsOn.ts';

export type LabelRequest = Extract<FromView, { kind: 'label' | 'remove-label' | 'undo-label' }>;
type Tally = NonNullable<Snapshot['labels']>['tallies'][number];

/** Labels for the case that a view shows. */
export class CaseLabels {
  readonly #editor = new LabelEditor();
  readonly #onChange: () => void;
  readonly #onError: (error: unknown) => void;
  #target: LabelTarget | undefined;
  #runs: LabeledRuns | undefined;
  /** Verdicts of all cases in a file. */
  #judged: (Pick<OtherCases, 'candidatesFor'> & { readonly file: string }) | undefined;
  #cases: { readonly hash: string | undefined; readonly hasCase: HasCase | undefined } | undefined;
  /** Identifies the runs that were last read or are being read. */
  #reading = '';

  /** @param onChange called when the judges' accuracy is known */
  constructor(onChange: () => void, onError: (error: unknown) => void) {
    this.#onChange = onChange;
    this.#onError = onError;
  }

  /** Clears the undo history before a different case is shown. */
  reset(): void {
    this.#editor.reset();
    this.#target = undefined;
    this.#cases = undefined;
  }

  /** @param found the visible case; undefined if it hasn't finished */
  async read(suite: LoadedSuite, found: FoundCase | undefined): Promise<Snapshot['labels']> {
    const file = suite.path;
    this.#target = undefined;
    // The record may come from another machine, and the eval file may be missing here.
    if (!found || !existsSync(file)) return undefined;
    const { line, record } = found;
    const person = await personAt(file);
    // A label may arrive while files are read.
    const target = { file, person, line };
    this.#target = target;
    const { labels, problems } = await readLabels(file);
    const hasCase = labels.length > 0 ? await this.#casesIn(suite) : undefined;
    const tallies = this.#talliesOf(file, labels, record, hasCase);
    const others = { ...(this.#judged?.file === file && this.#judged), hasCase };
    if (this.#target === target) this.#target = { ...target, others };
    return {
      person,
      given: opinionsOn(line, labels, others),
      tallies,
      undo: this.#editor.canUndo,
      problems: labelProblemTexts(problems, (path) => vscode.workspace.asRelativePath(path)),
    };
  }

  /** Lists variants again only if the eval file changes, because that may read other files. */
  async #casesIn(loaded: LoadedSuite): Promise<HasCase | undefined> {
    const hash = loaded.suite?.hash;
    if (this.#cases?.hash !== hash) this.#cases = { hash, hasCase: await casesIn(loaded) };
    return this.#cases?.hasCase;
  }

  /** @throws UnwritableError */
  async write(asked: LabelRequest): Promise<void> {
    const target = this.#target;
    if (!target) return;
    if (asked.kind === 'undo-label') await this.#editor.undo();
    else if (asked.kind === 'remove-label') await this.#editor.remove(target, asked);
    else {
      const { kind: _, ...input } = asked;
      await this.#editor.add(target, input);
    }
  }

  /** How often each judge was right so far. Loads the runs in the background. @param record the newest known record */
  #talliesOf(
    file: string,
    labels: readonly PlacedLabel[],
    record: string,
    hasCase: HasCase | undefined,
  ): Tally[] {
    if (labels.length === 0) return [];
    // New labels require reading the runs again only if they are for another case, or for one that was renamed.
    const nameOf = ({ case: id, variant, conversation_hash: hash }: PlacedLabel) =>
      hasCase?.(id, variant) ? id : hash;
    const cases = [...new Set(labels.map(nameOf))].sort();
    const key = JSON.stringify([file, record, cases]);
    if (this.#reading !== key) {
      this.#reading = key;
      readLabeledRuns([file], async () => hasCase).then((runs) => {
        if (this.#reading !== key || !runs) return;
        this.#runs = runs;
        this.#judged = { file, candidatesFor: verdictsIn(runs.data)(labelsFolder(file)) };
        this.#onChange();
      }, this.#onError);
    }
    if (!this.#runs) return [];
    const { rows } = agreementOf(labels, this.#runs.data, () => hasCase);
    return rows.flatMap(({ judge, assertion, of, compared, confusion }) => {
      if (!assertion || compared === 0) return [];
      const right = confusion.failFail + confusion.passPass;
      return [{ judge, assertion: assertion.key, of, right, compared }];
    });
  }
}

/** Whether a file contains labels for an eval file. Both paths are absolute. */
export function isLabelFile(path: string, evalFile: string): boolean {
  return path.endsWith('.jsonl') && dirname(path) === labelsFolder(evalFile);
}

const known = new Map<string, Promise<string>>();

/** The name used to save the user's labels for an eval file. @param evalFile absolute path */
export async function personAt(evalFile: string): Promise<string> {
  const set = vscode.workspace.getConfiguration(SECTION).get<string>(SETTINGS.person)?.trim();
  if (set) return personName(set);
  const folder = dirname(evalFile);
  const asked = known.get(folder) ?? askGit(folder);
  known.set(folder, asked);
  return asked;
}

async function askGit(folder: string): Promise<string> {
  for (const key of ['user.email', 'user.name']) {
    const name = await gitOutput(['config', '--get', key], folder);
    if (name) return personName(name);
  }
  return personName(userInfo().username);
}
