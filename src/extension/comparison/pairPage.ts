import * as vscode from 'vscode';
import type { CaseIdentity } from '../../core/identity.ts';
import { caseTitle } from '../../core/presentation/words.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { rootOfRecord } from '../../node/paths.ts';
import type { conversationProtocol, Snapshot, ViewState } from '../../protocol/viewProtocol.ts';
import type { CaseStats } from '../../store/records/parseLine.ts';
import { createPanel, openPages, type PageActions, type PageParts } from '../pages/webviewPage.ts';
import { SnapshotPage } from '../viewer/snapshotPage.ts';
import type { ComparedRuns, PlacedCase } from './comparedRuns.ts';
import { pairSnapshot } from './pairSnapshot.ts';
import { isOfPair, pairKey, type RunPair, SharedRuns } from './runPair.ts';

/** Milliseconds between two snapshots of an active run. */
const INTERVAL = 500;

type PairState = ViewState & { readonly compared: NonNullable<ViewState['compared']> };

/** Shows a case in two runs. Reuses the page if these runs have one open. */
export function openPair(
  pair: RunPair,
  { base, head }: PlacedCase,
  turn: number | undefined,
  parts: PageParts,
): void {
  const place = head[0] ?? base[0];
  if (!place) return;
  const pages = openPages(PairPage);
  const page = pages.find((one) => pairKey(one.pair) === pairKey(pair));
  // Two conversations need the full width of an editor column.
  const column = pages.at(-1)?.viewColumn ?? vscode.ViewColumn.Active;
  const state: PairState = {
    file: vscode.Uri.file(place.suite).toString(),
    id: place.id,
    repetition: 1,
    compared: { base: [...pair.base], head: [...pair.head] },
  };
  const create = () => new PairPage(createPanel('conversation', column), state, parts);
  (page ?? create()).goTo(place, turn);
}

/** Shows a case in two runs, with its conversations side by side. */
export class PairPage extends SnapshotPage {
  readonly pair: RunPair;
  readonly #shared: SharedRuns;

  constructor(panel: vscode.WebviewPanel, state: PairState, parts: PageParts) {
    super(panel, state, parts, INTERVAL);
    this.title = 'Comparison';
    this.pair = state.compared;
    this.#shared = this.keep(new SharedRuns(this.pair));
    this.keep(
      parts.files.onDidChange((path) => {
        if (isOfPair(this.pair, path)) this.refresh();
      }),
    );
  }

  /** @param identity contains the eval file's path */
  goTo(identity: CaseIdentity, turn: number | undefined): void {
    this.reveal();
    void this.showCase(identity, 1, turn);
  }

  protected get images() {
    return { roots: [...this.pair.head, ...this.pair.base].map(rootOfRecord) };
  }

  protected async read(): Promise<Snapshot | undefined> {
    const runs = await this.#shared.runs;
    await runs.readNew();
    const { repetition } = this.state;
    const row = runs.rowOf(this.ref);
    const found = runs.at(row);
    const { facts, changed } = runs;
    if (!found || !facts) return undefined;
    this.title = `${caseTitle(this.state)} (compared)`;
    const pair = {
      compared: found.compared,
      base: await lineOf(found.base, repetition, runs.base),
      head: await lineOf(found.head, repetition, runs.head),
      repetitions: Math.max(found.base.length, found.head.length),
    };
    const at = changed.indexOf(row);
    const position = { count: changed.length, at: at < 0 ? undefined : at + 1 };
    return pairSnapshot(this.state, pair, facts, position);
  }

  async #showChanged(step: 1 | -1): Promise<void> {
    const runs = await this.#shared.runs;
    const row = runs.rowOf(this.ref);
    const { changed } = runs;
    const next =
      step === 1
        ? (changed.find((one) => one > row) ?? changed[0])
        : (changed.findLast((one) => one < row) ?? changed.at(-1));
    const found = next === undefined ? undefined : runs.at(next);
    const place = found?.head[0] ?? found?.base[0];
    if (place) await this.showCase(place, 1);
  }

  /** A comparison is read-only: other actions are ignored. */
  protected readonly actions: Partial<PageActions<typeof conversationProtocol>> = {
    ...this.sharedActions,
    'show-changed': ({ step }) => this.#showChanged(step),
  };
}

/** A repetition's line; if the run has fewer repetitions, the last one's. */
async function lineOf(
  places: readonly CaseStats[],
  repetition: number,
  run: ComparedRuns['base'],
): Promise<CaseLine | undefined> {
  const place = places.find((one) => one.repetition === repetition) ?? places.at(-1);
  return place && (await run.lines([place])).get(place);
}
