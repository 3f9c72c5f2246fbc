import * as vscode from 'vscode';
import { turnsOf } from '../../core/conversation.ts';
import { stackText } from '../../core/errors.ts';
import type { CaseIdentity, CaseRef } from '../../core/identity.ts';
import { statedOf } from '../../core/statedAssertion.ts';
import {
  conversationProtocol,
  type Snapshot,
  type ViewState,
} from '../../protocol/viewProtocol.ts';
import { imageMessage, type ShownImages } from '../pages/imageMessage.ts';
import { type PageActions, type PageParts, WebviewPage } from '../pages/webviewPage.ts';
import { reveal } from '../workspace.ts';

/** A page that shows a case in one run, or in two compared runs. */
export abstract class SnapshotPage extends WebviewPage<typeof conversationProtocol> {
  state: ViewState;
  #turn: number | undefined;
  #last: Snapshot | undefined;

  constructor(panel: vscode.WebviewPanel, state: ViewState, parts: PageParts, interval: number) {
    super(panel, 'conversation', conversationProtocol, interval, parts);
    this.state = state;
  }

  protected get ref(): CaseRef {
    const { file, id, variant, repetition } = this.state;
    return { suite: vscode.Uri.parse(file).fsPath, id, variant, repetition };
  }

  /** Shows another case on the page, which keeps the focus for the next key press. */
  protected showCase(
    { suite, id, variant }: CaseIdentity,
    repetition: number,
    turn?: number,
  ): Promise<void> {
    const file = vscode.Uri.file(suite).toString();
    this.state = { ...this.state, file, id, variant, repetition };
    this.scrollTo(turn);
    return this.update();
  }

  /** Undefined if there is nothing to show yet. */
  protected abstract read(): Promise<Snapshot | undefined>;

  /** Scrolls to a turn after the next snapshot. */
  protected scrollTo(turn: number | undefined): void {
    this.#turn = turn;
  }

  protected async show(): Promise<void> {
    const snapshot = await this.read();
    if (!snapshot) return;
    this.#last = snapshot;
    await this.post({ kind: 'snapshot', snapshot });
    const turn = this.#turn;
    if (turn === undefined) return;
    const arrived = await this.post({ kind: 'reveal-turn', turn });
    if (arrived && this.#turn === turn) this.#turn = undefined;
  }

  /** Ignores the failure: the next change comes soon, so the user need not be disturbed. */
  protected override updateFailed(error: unknown): void {
    this.parts.log.error(stackText(error));
  }

  /** Where the shown conversation's images are. */
  protected abstract readonly images: ShownImages;

  async #loadImage(digest: string): Promise<void> {
    const { conversation, compared } = this.#last ?? {};
    const shown = [conversation, compared?.base?.conversation].filter((one) => one !== undefined);
    await this.post(await imageMessage(digest, shown, this.images));
  }

  /** Actions that both kinds of pages have. */
  protected readonly sharedActions: Pick<
    PageActions<typeof conversationProtocol>,
    'show-repetition' | 'open-turn' | 'open-assertion' | 'open-fault' | 'load-image'
  > = {
    'load-image': ({ digest }) => this.#loadImage(digest),
    'show-repetition': ({ repetition }) => {
      this.state = { ...this.state, repetition };
      return this.update();
    },
    'open-turn': ({ turn }) => {
      const turns = this.#last ? turnsOf(this.#last.conversation) : [];
      const source = turns.find(({ number }) => number === turn)?.source;
      return source && reveal(source.path, source.range);
    },
    'open-assertion': ({ index }) => {
      const { verdicts = [], assertions = [] } = this.#last ?? {};
      const verdict = verdicts.find(({ assertion }) => assertion.index === index);
      // The file may have been edited since then, which can move the assertion.
      const stated = verdict
        ? statedOf(verdict, assertions)
        : assertions.find((one) => one.index === index);
      const found = stated ?? verdict?.assertion;
      const start = { line: (found?.line ?? 1) - 1, character: 0 };
      return found && reveal(found.path, { start, end: start });
    },
    'open-fault': () => {
      const fault = this.#last?.fault;
      return fault && reveal(fault.path, fault.range);
    },
  };
}
