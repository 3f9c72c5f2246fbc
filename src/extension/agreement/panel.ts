import * as vscode from 'vscode';
import type { LabelledItem } from '../../analysis/agreement.ts';
import type { LabelledRuns } from '../../analysis/readAgreement.ts';
import { oneAtATime } from '../../core/oneAtATime.ts';
import { Throttle } from '../../core/throttle.ts';
import { unreachable } from '../../core/unreachable.ts';
import {
  type FromAgreement,
  fromAgreementSchema,
  type ShownAgreement,
} from '../../protocol/agreementProtocol.ts';
import { AGREEMENT_VIEW_TYPE } from '../../protocol/settings.ts';
import { Disposing } from '../disposables.ts';
import { type Page, receive, tellFailure } from '../pageMessages.ts';
import type { RecordFiles } from '../runs/recordFiles.ts';
import { findEvalFiles } from '../suites.ts';
import { showPage } from '../viewer/page.ts';
import type { ConversationLocation } from '../viewer/viewer.ts';

/** Milliseconds between a change of a file and reading it. */
const PACE = 500;

export interface AgreementParts {
  readonly extensionUri: vscode.Uri;
  readonly files: RecordFiles;
  readonly log: vscode.LogOutputChannel;
  readonly openConversation: (location: ConversationLocation) => Promise<void>;
}

let shown: AgreementPanel | undefined;

/** Shows how well judges agree with the labels of the workspace. */
export function openAgreement(parts: AgreementParts): void {
  if (shown) {
    shown.reveal();
    return;
  }
  const panel = vscode.window.createWebviewPanel(AGREEMENT_VIEW_TYPE, 'Agreement', {
    viewColumn: vscode.ViewColumn.One,
    preserveFocus: false,
  });
  restoreAgreement(panel, parts);
}

/** Brings the view back after a reload. */
export function restoreAgreement(panel: vscode.WebviewPanel, parts: AgreementParts): void {
  const view = new AgreementPanel(panel, parts);
  shown = view;
  panel.onDidDispose(() => {
    if (shown === view) shown = undefined;
    view.dispose();
  });
}

class AgreementPanel extends Disposing {
  readonly #panel: vscode.WebviewPanel;
  readonly #parts: AgreementParts;
  readonly #page: Page;
  readonly #stop = new AbortController();
  #ready = false;
  #agreement: ShownAgreement | undefined;
  #items: readonly LabelledItem[] = [];
  #runs: LabelledRuns | undefined;
  readonly #throttle = this.keep(new Throttle(PACE, () => void this.#read()));

  constructor(panel: vscode.WebviewPanel, parts: AgreementParts) {
    super();
    this.#panel = panel;
    this.#parts = parts;
    this.#page = { name: 'view of agreement', log: parts.log };
    const { webview } = panel;
    this.keep(receive(webview, this.#page, fromAgreementSchema, (message) => this.#act(message)));
    const watcher = this.keep(vscode.workspace.createFileSystemWatcher('**/*.labels/*.jsonl'));
    this.keep(watcher.onDidCreate(() => this.#throttle.schedule()));
    this.keep(watcher.onDidChange(() => this.#throttle.schedule()));
    this.keep(watcher.onDidDelete(() => this.#throttle.schedule()));
    this.keep(parts.files.onDidChange(() => this.#throttle.schedule()));
    this.keep(panel);
    showPage(panel.webview, parts.extensionUri, 'agreement');
  }

  reveal(): void {
    this.#panel.reveal(undefined, false);
  }

  override dispose(): void {
    this.#stop.abort();
    super.dispose();
  }

  readonly #read = oneAtATime(async () => {
    try {
      const [{ readLabelledRuns }, { agreementOf }, { shownAgreement }] = await Promise.all([
        import('../../analysis/readAgreement.ts'),
        import('../../analysis/agreement.ts'),
        import('./shownAgreement.ts'),
      ]);
      const files = (await findEvalFiles()).map(({ fsPath }) => fsPath);
      const runs = await readLabelledRuns(files, this.#stop.signal);
      if (!runs) return;
      const found = agreementOf(runs.labels, runs.gathered);
      this.#runs = runs;
      this.#items = found.disagreements;
      this.#agreement = shownAgreement(found, runs, (path) =>
        vscode.workspace.asRelativePath(path),
      );
      await this.#post();
    } catch (error) {
      tellFailure(this.#page, error);
    }
  });

  async #post(): Promise<void> {
    if (!this.#ready || !this.#agreement) return;
    await this.#panel.webview.postMessage({ kind: 'snapshot', agreement: this.#agreement });
  }

  async #act(message: FromAgreement): Promise<void> {
    switch (message.kind) {
      case 'ready':
        this.#ready = true;
        if (this.#agreement) await this.#post();
        else await this.#read();
        break;
      case 'open':
        await this.#openConversation(this.#items[message.disagreement]);
        break;
      default:
        unreachable(message);
    }
  }

  async #openConversation(item: LabelledItem | undefined): Promise<void> {
    const place = item && this.#runs?.placeOf(item);
    if (!place) return;
    const { rootOfRecord } = await import('../../core/record/recordPaths.ts');
    const { suite, id, variant, repetition, record } = place;
    await this.#parts.openConversation({
      uri: vscode.Uri.file(suite),
      id,
      variant,
      repetition,
      turn: item.turn,
      shown: { record, root: rootOfRecord(record) },
    });
  }
}
