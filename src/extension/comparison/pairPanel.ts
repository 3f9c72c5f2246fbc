import * as vscode from 'vscode';
import type { CaseIdentity } from '../../core/identity.ts';
import { caseTitle } from '../../core/presentation/executionTitle.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { Throttle } from '../../core/throttle.ts';
import {
  type FromView,
  fromViewSchema,
  type Snapshot,
  type ViewState,
} from '../../protocol/viewProtocol.ts';
import { RecordReader } from '../../store/recordIndex.ts';
import { Disposing } from '../disposables.ts';
import { receive } from '../pageMessages.ts';
import type { CasePlace } from '../results/runResults.ts';
import type { TablePageParts } from '../results/tablePage.ts';
import { openPlace } from '../viewer/openPlace.ts';
import { showPage } from '../viewer/page.ts';
import { SnapshotSender } from '../viewer/snapshotSender.ts';
import type { ComparedRuns } from './comparedRuns.ts';
import { pairSnapshot } from './pairSnapshot.ts';
import { isOfPair, type RunPair } from './runPair.ts';

/** Milliseconds between two snapshots of a run that goes on. */
const PACE = 500;

export type PairParts = TablePageParts;

export type PairState = ViewState & { readonly compared: NonNullable<ViewState['compared']> };

/** A case of two runs: its conversations turn beside turn. */
export class PairPanel extends Disposing {
  readonly #panel: vscode.WebviewPanel;
  readonly #runs: Promise<ComparedRuns>;
  readonly #sender: SnapshotSender;
  #state: PairState;
  readonly #throttle = this.keep(new Throttle(PACE, () => void this.#sender.send()));

  constructor(
    panel: vscode.WebviewPanel,
    state: PairState,
    runs: Promise<ComparedRuns>,
    parts: PairParts,
  ) {
    super();
    this.#panel = panel;
    this.#state = state;
    this.#runs = runs;
    this.#sender = new SnapshotSender(panel.webview, parts.log, () => this.#read());
    const page = { name: 'conversation view', log: parts.log };
    this.keep(receive(panel.webview, page, fromViewSchema, (message) => this.#act(message)));
    this.keep(
      parts.files.onDidChange((path) => {
        if (isOfPair(this.pair, path)) this.#throttle.schedule();
      }),
    );
    this.keep(panel);
    showPage(panel.webview, parts.extensionUri, 'conversation');
  }

  get pair(): RunPair {
    return this.#state.compared;
  }

  get viewColumn(): vscode.ViewColumn | undefined {
    return this.#panel.viewColumn;
  }

  /** @param identity with the eval file */
  show(identity: CaseIdentity, turn: number | undefined): void {
    this.#panel.reveal(undefined, false);
    this.#go(identity, turn);
  }

  /** Another case in place of this one; whoever presses a key again meanwhile keeps the focus. */
  #go({ suite, id, variant }: CaseIdentity, turn: number | undefined): void {
    const { variant: _, ...rest } = this.#state;
    const file = vscode.Uri.file(suite).toString();
    this.#state = { ...rest, file, id, repetition: 1, ...(variant !== undefined && { variant }) };
    this.#sender.reveal(turn);
    void this.#sender.send();
  }

  async #read(): Promise<Snapshot | undefined> {
    const runs = await this.#runs;
    await runs.readOn();
    const { file, id, variant, repetition } = this.#state;
    const row = runs.rowOf({ suite: vscode.Uri.parse(file).fsPath, id, variant });
    const found = runs.at(row);
    const { facts } = runs;
    if (!found || !facts) return undefined;
    this.#panel.title = `${caseTitle(this.#state)} (compared)`;
    const [base, head] = [
      await lineOf(found.base, repetition, runs.base),
      await lineOf(found.head, repetition, runs.head),
    ];
    const { changed } = runs;
    const at = changed.indexOf(row);
    return pairSnapshot(
      this.#state,
      {
        compared: found.compared,
        ...{ base, head },
        repetitions: Math.max(found.base.length, found.head.length),
      },
      facts,
      { count: changed.length, ...(at >= 0 && { at: at + 1 }) },
    );
  }

  async #showChanged(step: 1 | -1): Promise<void> {
    const runs = await this.#runs;
    const { file, id, variant } = this.#state;
    const row = runs.rowOf({ suite: vscode.Uri.parse(file).fsPath, id, variant });
    const { changed } = runs;
    const next =
      step === 1
        ? (changed.find((one) => one > row) ?? changed[0])
        : (changed.findLast((one) => one < row) ?? changed.at(-1));
    const found = next === undefined ? undefined : runs.at(next);
    const place = found?.head[0] ?? found?.base[0];
    if (place) this.#go(place, undefined);
  }

  /** What runs or changes a case is not offered here. */
  async #act(message: FromView): Promise<void> {
    switch (message.kind) {
      case 'ready':
        await this.#sender.ready();
        break;
      case 'show-changed':
        await this.#showChanged(message.step);
        break;
      case 'show-repetition':
        this.#state = { ...this.#state, repetition: message.repetition };
        await this.#sender.send();
        break;
      case 'open-turn':
      case 'open-assertion':
        if (this.#sender.last) await openPlace(message, this.#sender.last);
        break;
      default:
        break;
    }
  }
}

/** Of a repetition, or of the last one where there are fewer. */
async function lineOf(
  places: readonly CasePlace[],
  repetition: number,
  run: ComparedRuns['base'],
): Promise<CaseLine | undefined> {
  const place = places.find((one) => one.repetition === repetition) ?? places.at(-1);
  return place && new RecordReader(place.record, run.rootOf(place.record)).lineAt(place);
}
