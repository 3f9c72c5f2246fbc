import * as vscode from 'vscode';
import { turnsOf } from '../../core/conversation.ts';
import { stackText, unreachable } from '../../core/errors.ts';
import type { CaseIdentity, CaseRef } from '../../core/identity.ts';
import { statedOf } from '../../core/statedAssertion.ts';
import {
  conversationProtocol,
  type FromView,
  type Snapshot,
  type ViewState,
} from '../../protocol/viewProtocol.ts';
import { type PageParts, WebviewPage } from '../pages/webviewPage.ts';
import { reveal } from '../workspace.ts';

/** A page with one conversation, of one run or two. */
export abstract class SnapshotPage extends WebviewPage<typeof conversationProtocol> {
  state: ViewState;
  #turn: number | undefined;
  #last: Snapshot | undefined;

  /** @param interval milliseconds between a change and the snapshot that shows it */
  constructor(panel: vscode.WebviewPanel, state: ViewState, parts: PageParts, interval: number) {
    const protocol = conversationProtocol;
    super(panel, { page: 'conversation', protocol, name: 'conversation view', interval }, parts);
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
    const { variant: _, ...rest } = this.state;
    const file = vscode.Uri.file(suite).toString();
    this.state = { ...rest, file, id, repetition, ...(variant !== undefined && { variant }) };
    this.scrollTo(turn);
    return this.update();
  }

  protected showRepetition(repetition: number): Promise<void> {
    this.state = { ...this.state, repetition };
    return this.update();
  }

  /** Undefined if there is nothing to show yet. */
  protected abstract read(): Promise<Snapshot | undefined>;

  /** @param turn to scroll to with the next snapshot; undefined to stay */
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

  /** The next change comes soon, so don't disturb the user. */
  protected override updateFailed(error: unknown): void {
    this.parts.log.error(stackText(error));
  }

  /** Opens the source line of a turn, assertion, or fault. */
  protected async openSource(
    asked: Extract<FromView, { kind: 'open-turn' | 'open-assertion' | 'open-fault' }>,
  ): Promise<void> {
    const snapshot = this.#last;
    if (!snapshot) return;
    switch (asked.kind) {
      case 'open-turn': {
        const turns = turnsOf(snapshot.conversation);
        const source = turns.find(({ number }) => number === asked.turn)?.source;
        if (source) await reveal(source.path, source.range);
        break;
      }
      case 'open-assertion': {
        const { index } = asked;
        const { verdicts, assertions } = snapshot;
        const verdict = verdicts.find(({ assertion }) => assertion.index === index);
        // The file may have been edited since, so that the assertion moved.
        const stated = verdict
          ? statedOf(verdict, assertions)
          : assertions.find((one) => one.index === index);
        const found = stated ?? verdict?.assertion;
        if (!found) break;
        const start = { line: found.line - 1, character: 0 };
        await reveal(found.path, { start, end: start });
        break;
      }
      case 'open-fault': {
        const { fault } = snapshot;
        if (fault) await reveal(fault.path, fault.range);
        break;
      }
      default:
        unreachable(asked);
    }
  }
}
