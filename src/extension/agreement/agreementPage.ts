import * as vscode from 'vscode';
import type { LabelledItem } from '../../analysis/agreement.ts';
import type { LabelledRuns } from '../../analysis/readAgreement.ts';
import { rootOfRecord } from '../../core/record/recordPaths.ts';
import { agreementProtocol, type ShownAgreement } from '../../protocol/agreementProtocol.ts';
import {
  createPanel,
  openPages,
  type PageAction,
  type PageParts,
  WebviewPage,
} from '../pages/webviewPage.ts';
import { findEvalFiles } from '../suites.ts';

/** Milliseconds between a change of a file and reading it. */
const INTERVAL = 500;

/** Shows how well judges agree with the labels of the workspace. */
export function openAgreement(parts: PageParts): void {
  const [page] = openPages(AgreementPage);
  if (page) page.reveal();
  else new AgreementPage(createPanel('agreement', 'Agreement'), parts);
}

export class AgreementPage extends WebviewPage<typeof agreementProtocol> {
  readonly #parts: PageParts;
  readonly #stop = new AbortController();
  #agreement: ShownAgreement | undefined;
  #items: readonly LabelledItem[] = [];
  #runs: LabelledRuns | undefined;
  #isStale = true;

  constructor(panel: vscode.WebviewPanel, parts: PageParts) {
    const protocol = agreementProtocol;
    const name = 'view of agreement';
    super(panel, { page: 'agreement', protocol, name, interval: INTERVAL }, parts);
    this.#parts = parts;
    const changed = () => {
      this.#isStale = true;
      this.refresh();
    };
    this.watch('**/*.labels/*.jsonl', changed);
    this.keep(parts.files.onDidChange(changed));
  }

  override dispose(): void {
    this.#stop.abort();
    super.dispose();
  }

  protected async show(): Promise<void> {
    if (this.#isStale || !this.#agreement) await this.#read();
    if (this.#agreement) await this.post({ kind: 'snapshot', agreement: this.#agreement });
  }

  async #read(): Promise<void> {
    this.#isStale = false;
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
    this.#agreement = shownAgreement(found, runs, (path) => vscode.workspace.asRelativePath(path));
  }

  /** Opens the conversation of a disagreement. */
  protected async act({ disagreement }: PageAction<typeof agreementProtocol>): Promise<void> {
    const item = this.#items[disagreement];
    const place = item && this.#runs?.placeOf(item);
    if (!place) return;
    const { openConversation } = await import('../viewer/conversationPage.ts');
    const { suite, id, variant, repetition, record } = place;
    const shown = { record, root: rootOfRecord(record) };
    const location = { uri: vscode.Uri.file(suite), id, variant, repetition, turn: item.turn };
    openConversation({ ...location, shown }, this.#parts);
  }
}
