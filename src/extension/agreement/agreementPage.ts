import * as vscode from 'vscode';
import type { LabeledItem, LabeledRuns } from '../../analysis/agreement.ts';
import { rootOfRecord } from '../../node/paths.ts';
import { agreementProtocol } from '../../protocol/agreementProtocol.ts';
import {
  createPanel,
  type PageActions,
  type PageParts,
  revealPage,
  WebviewPage,
} from '../pages/webviewPage.ts';
import { findEvalFiles, readCases } from '../workspace.ts';

/** Milliseconds between a file change and reading the file. */
const INTERVAL = 500;

export function openAgreement(parts: PageParts): void {
  if (!revealPage(AgreementPage)) new AgreementPage(createPanel('agreement'), parts);
}

export class AgreementPage extends WebviewPage<typeof agreementProtocol> {
  readonly #stop = new AbortController();
  #items: readonly LabeledItem[] = [];
  #runs: LabeledRuns | undefined;
  #isStale = true;

  constructor(panel: vscode.WebviewPanel, parts: PageParts) {
    super(panel, 'agreement', agreementProtocol, INTERVAL, parts);
    const changed = () => {
      this.#isStale = true;
      this.refresh();
    };
    this.watchFiles('**/*.labels/*.jsonl', changed);
    this.keep(parts.files.onDidChange(changed));
  }

  override dispose(): void {
    this.#stop.abort();
    super.dispose();
  }

  protected async show(): Promise<void> {
    if (!this.#isStale) return;
    this.#isStale = false;
    await this.#read().catch((error: unknown) => {
      this.#isStale = true;
      throw error;
    });
  }

  async #read(): Promise<void> {
    const [{ agreementOf, readLabeledRuns }, { shownAgreement }] = await Promise.all([
      import('../../analysis/agreement.ts'),
      import('./shownAgreement.ts'),
    ]);
    const files = (await findEvalFiles()).map(({ fsPath }) => fsPath);
    const runs = await readLabeledRuns(files, readCases, this.#stop.signal);
    if (!runs) return;
    const found = agreementOf(runs.labels, runs.data, runs.casesIn);
    this.#runs = runs;
    this.#items = found.disagreements;
    const agreement = shownAgreement(found, runs, (path) => vscode.workspace.asRelativePath(path));
    await this.post({ kind: 'snapshot', agreement });
  }

  protected readonly actions: PageActions<typeof agreementProtocol> = {
    open: async ({ disagreement }) => {
      const item = this.#items[disagreement];
      const place = item && this.#runs?.placeOf(item);
      if (!place) return;
      const { openConversation } = await import('../viewer/conversationPage.ts');
      const { suite, record, ...execution } = place;
      const shown = { record, root: rootOfRecord(record) };
      openConversation(
        { ...execution, uri: vscode.Uri.file(suite), turn: item.turn, shown },
        this.parts,
      );
    },
  };
}
