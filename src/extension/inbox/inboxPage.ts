import * as vscode from 'vscode';
import { visibleLine } from '../../core/text/visibleText.ts';
import type { ReceivedConversation } from '../../interop/traceInbox.ts';
import { isRunning } from '../../protocol/viewPage.ts';
import type { conversationProtocol, Snapshot } from '../../protocol/viewProtocol.ts';
import { finishedSnapshot } from '../../report/finishedSnapshot.ts';
import { createPanel, openPages, type PageActions, type PageParts } from '../pages/webviewPage.ts';
import { RECEIVED_SCHEME } from '../viewer/conversationPage.ts';
import { SnapshotPage } from '../viewer/snapshotPage.ts';
import type { Inbox } from './inbox.ts';

/** Milliseconds between two snapshots. */
const INTERVAL = 100;

const MAX_TITLE = 40;

/** Shows a received conversation. Reuses its page if one is open. */
export function openReceived(one: ReceivedConversation, inbox: Inbox, parts: PageParts): void {
  const pages = openPages(InboxPage);
  const page = pages.find(({ received }) => received?.id === one.id);
  const column = pages.at(-1)?.viewColumn ?? vscode.ViewColumn.Active;
  (page ?? new InboxPage(createPanel('conversation', column), one, inbox, parts)).reveal();
}

/** The received conversation on the active page. */
export function activeReceived(): ReceivedConversation | undefined {
  return openPages(InboxPage).find((page) => page.active)?.received;
}

const DROPPED =
  "Turnlight no longer keeps this conversation, so it can't be judged or saved. If it was judged, its result is in the list of runs.";

/** Shows a received conversation as it continues, and its verdicts once it is judged. */
class InboxPage extends SnapshotPage {
  /** The conversation as it was last seen, which may have been dropped since. */
  #last: ReceivedConversation;
  readonly #id: string;
  readonly #inbox: Inbox;
  /** Spans contain no images. */
  protected readonly images = { roots: [] };

  constructor(
    panel: vscode.WebviewPanel,
    one: ReceivedConversation,
    inbox: Inbox,
    parts: PageParts,
  ) {
    const { id, name } = one;
    const file = vscode.Uri.from({ scheme: RECEIVED_SCHEME, path: id }).toString();
    super(panel, { file, id: visibleLine(name, MAX_TITLE) || id, repetition: 1 }, parts, INTERVAL);
    this.#id = id;
    this.#last = one;
    this.#inbox = inbox;
    this.title = this.state.id;
    this.keep(inbox.onDidChange(() => this.refresh()));
    this.keep(parts.live.onDidChange(() => this.refresh()));
  }

  get received(): ReceivedConversation | undefined {
    return this.#inbox.find(this.#id);
  }

  protected async read(): Promise<Snapshot> {
    const kept = this.received;
    this.#last = kept ?? { ...this.#last, problem: DROPPED };
    const { conversation, problem, agent, notes } = this.#last;
    const judged = this.#inbox.judgedOf(this.#id);
    // If the conversation has continued, its verdicts are those of an earlier one.
    if (judged?.conversation === conversation) {
      const { line, state, assertions, suiteName } = judged;
      this.state = state;
      const live = this.parts.live.get(this.ref);
      const running = {
        phase: live?.phase ?? 'queued',
        score: null,
        verdicts: [...(live?.verdicts ?? [])],
      };
      return {
        ...(line && !isRunning(live?.phase) ? finishedSnapshot(line) : running),
        ...{ state, suiteName, repetitions: 1, assertions: [...assertions] },
        received: 'complete',
        // Unlike in the record, its turns don't have places in the file.
        conversation,
      };
    }
    return {
      state: this.state,
      suiteName: agent === undefined ? 'Received traces' : `Received from ${agent}`,
      repetitions: 1,
      phase: 'new',
      received: problem === undefined ? 'complete' : 'unclear',
      score: null,
      reason: problem,
      conversation: { ...conversation, notes: [...conversation.notes, ...notes] },
      verdicts: [],
      assertions: [],
    };
  }

  protected readonly actions: Partial<PageActions<typeof conversationProtocol>> = {
    ...this.sharedActions,
    run: () => vscode.commands.executeCommand('turnlight.judgeTrace', this.#last),
    save: () => vscode.commands.executeCommand('turnlight.saveTrace', this.#last),
    cancel: () => this.#inbox.judgedOf(this.#id)?.abort.abort(),
  };
}
