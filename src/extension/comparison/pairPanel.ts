import * as vscode from 'vscode';
import { turnsOf } from '../../core/conversation.ts';
import { stackText } from '../../core/errors.ts';
import type { CaseIdentity } from '../../core/identity.ts';
import { caseTitle } from '../../core/presentation/executionTitle.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import {
  type FromView,
  fromViewSchema,
  type Snapshot,
  type ToView,
  type ViewState,
} from '../../protocol/viewProtocol.ts';
import { RecordReader } from '../../store/recordIndex.ts';
import { Disposing } from '../disposables.ts';
import { reveal } from '../locations.ts';
import { receive } from '../pageMessages.ts';
import type { CasePlace } from '../results/runResults.ts';
import { oneAtATime } from '../viewer/oneAtATime.ts';
import { showPage } from '../viewer/page.ts';
import type { ComparedRuns } from './comparedRuns.ts';
import { pairSnapshot } from './pairSnapshot.ts';
import type { RunPair } from './runPair.ts';

export interface PairParts {
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
}

export type PairState = ViewState & { readonly compared: NonNullable<ViewState['compared']> };

/** A case of two runs: its conversations turn beside turn. */
export class PairPanel extends Disposing {
  readonly #panel: vscode.WebviewPanel;
  readonly #parts: PairParts;
  readonly #runs: Promise<ComparedRuns>;
  #state: PairState;
  #snapshot: Snapshot | undefined;
  #turn: number | undefined;
  #ready = false;

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
    this.#parts = parts;
    const page = { name: 'conversation view', log: parts.log };
    this.keep(receive(panel.webview, page, fromViewSchema, (message) => this.#act(message)));
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
    this.#turn = turn;
    void this.#send();
  }

  readonly #send = oneAtATime(async () => {
    if (!this.#ready) return;
    try {
      const snapshot = await this.#read();
      if (!snapshot) return;
      this.#snapshot = snapshot;
      this.#panel.title = `${caseTitle(this.#state)} (compared)`;
      await this.#post({ kind: 'snapshot', snapshot });
      const turn = this.#turn;
      if (turn === undefined) return;
      // A hidden view takes no messages; it asks again when it is shown.
      const arrived = await this.#post({ kind: 'reveal-turn', turn });
      if (arrived && this.#turn === turn) this.#turn = undefined;
    } catch (error) {
      this.#parts.log.error(stackText(error));
    }
  });

  async #read(): Promise<Snapshot | undefined> {
    const runs = await this.#runs;
    await runs.readOn();
    const { file, id, variant, repetition } = this.#state;
    const row = runs.rowOf({ suite: vscode.Uri.parse(file).fsPath, id, variant });
    const found = runs.at(row);
    const { comparison } = runs;
    if (!found || !comparison) return undefined;
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
      comparison,
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

  async #post(message: ToView): Promise<boolean> {
    return this.#panel.webview.postMessage(message);
  }

  /** What runs or changes a case is not offered here. */
  async #act(message: FromView): Promise<void> {
    switch (message.kind) {
      case 'ready':
        this.#ready = true;
        await this.#send();
        break;
      case 'show-changed':
        await this.#showChanged(message.step);
        break;
      case 'show-repetition':
        this.#state = { ...this.#state, repetition: message.repetition };
        await this.#send();
        break;
      case 'open-turn': {
        const turns = this.#snapshot ? turnsOf(this.#snapshot.conversation) : [];
        const source = turns.find(({ number }) => number === message.turn)?.source;
        if (source) await reveal(source.path, source.range);
        break;
      }
      case 'open-assertion': {
        const { verdicts = [] } = this.#snapshot ?? {};
        const found = verdicts.find(({ assertion }) => assertion.index === message.index);
        if (!found) break;
        const start = { line: found.assertion.line - 1, character: 0 };
        await reveal(found.assertion.path, { start, end: start });
        break;
      }
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
