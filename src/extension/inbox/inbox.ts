import * as vscode from 'vscode';
import { turnsOf } from '../../core/conversation.ts';
import { errorText } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import type { StatedAssertion } from '../../core/statedAssertion.ts';
import { counted } from '../../core/text/format.ts';
import { labelText, visibleLine } from '../../core/text/visibleText.ts';
import { type ReceivedConversation, TraceInbox } from '../../interop/traceInbox.ts';
import type { ViewState } from '../../protocol/viewProtocol.ts';
import { receiveSpans } from '../../runner/conversationTraces.ts';
import { traceSetup } from '../commands/copyTraceVariables.ts';
import { Disposing } from '../disposables.ts';
import { mayRun, reportError, workspaceFolder } from '../workspace.ts';

const VIEW = 'turnlight.inbox';

/** Context keys: whether spans are received, and whether they were received in this session. */
const RECEIVING = 'turnlight.receiving';
const HAS_INBOX = 'turnlight.hasInbox';

/** Milliseconds from a span to the list that shows it. */
const INTERVAL = 200;

/** Time between two updates, as a multiple of the time that the last one took. */
const PAUSE = 5;

/** Maximum characters of a conversation's and an agent's name in the list. */
const MAX_NAME = 24;

/** Maximum characters of a line of a tooltip. */
const MAX_TOOLTIP = 500;

const ICONS = {
  shown: new vscode.ThemeIcon('comment-discussion'),
  unclear: new vscode.ThemeIcon('warning'),
};

/** A run that judges a received conversation. */
export interface Judged {
  /** The conversation that is judged. It may have continued since. */
  readonly conversation: ReceivedConversation['conversation'];
  readonly suiteName: string;
  readonly assertions: readonly StatedAssertion[];
  readonly abort: AbortController;
  /** The case, which is only in the record, and not in the eval file. */
  readonly state: ViewState;
  /** Its result. */
  readonly line?: CaseLine;
}

/** Receives the spans of agents on this machine, from *Receive Traces* until it is stopped, and lists conversations. */
export class Inbox extends Disposing implements vscode.TreeDataProvider<ReceivedConversation> {
  readonly #conversations = new TraceInbox();
  readonly #changed = this.keep(new vscode.EventEmitter<void>());
  readonly onDidChange = this.#changed.event;
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<ReceivedConversation>;
  readonly #status = this.keep(
    vscode.window.createStatusBarItem(VIEW, vscode.StatusBarAlignment.Left),
  );
  /** The last judgment of each conversation, by its id. */
  readonly #judged = new Map<string, Judged>();
  #stop: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #took = 0;

  constructor() {
    super();
    this.#view = this.keep(vscode.window.createTreeView(VIEW, { treeDataProvider: this }));
    this.#status.name = 'Turnlight Traces';
    this.#status.command = 'turnlight.stopTraces';
  }

  get selected(): ReceivedConversation | undefined {
    return this.#view.selection[0];
  }

  find(id: string): ReceivedConversation | undefined {
    return this.#conversations.conversations.find((one) => one.id === id);
  }

  /** Ignores conversations that were dropped. */
  setJudged(id: string, judged: Judged): void {
    if (this.find(id)) this.#judged.set(id, judged);
    this.#changed.fire();
  }

  judgedOf(id: string): Judged | undefined {
    return this.#judged.get(id);
  }

  async receive(): Promise<void> {
    const folder = mayRun(UNTRUSTED) ? await workspaceFolder() : undefined;
    if (!folder) return;
    if (!this.#stop) {
      try {
        const { url, stop } = await receiveSpans(...traceSetup(folder), (span) => {
          this.#conversations.add(span);
          this.#schedule();
        });
        this.#stop = stop;
        this.#status.tooltip = `Receiving traces at ${url}. Click to stop.`;
      } catch (error) {
        reportError(errorText(error));
        return;
      }
      await setContext(RECEIVING, true);
      await setContext(HAS_INBOX, true);
      this.#show();
    }
    await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  /** Stops receiving. The received conversations stay. */
  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#status.hide();
    void setContext(RECEIVING, false);
  }

  clear(): void {
    this.#conversations.clear();
    this.#show();
  }

  override dispose(): void {
    clearTimeout(this.#timer);
    this.stop();
    super.dispose();
  }

  getTreeItem(one: ReceivedConversation): vscode.TreeItem {
    const { id, problem, agent, time, conversation } = one;
    const label = labelText(one.name, MAX_NAME);
    const item = new vscode.TreeItem(label);
    item.id = id;
    const turns = counted(turnsOf(conversation).length, 'turn');
    const facts = [
      problem === undefined ? turns : "can't be shown",
      ...(agent === undefined ? [] : [visibleLine(agent, MAX_NAME)]),
      new Date(time).toLocaleTimeString(),
    ];
    item.description = facts.join(' · ');
    item.tooltip = [one.name, item.description, problem, ...one.notes]
      .flatMap((line) => (line === undefined ? [] : visibleLine(line, MAX_TOOLTIP)))
      .join('\n');
    item.accessibilityInformation = { label: `${label}, ${facts.join(', ')}` };
    item.iconPath = problem === undefined ? ICONS.shown : ICONS.unclear;
    item.contextValue = problem === undefined ? 'shown' : 'unclear';
    item.command = { command: 'turnlight.openTrace', title: 'Open', arguments: [one] };
    return item;
  }

  getChildren(one?: ReceivedConversation): ReceivedConversation[] {
    return one ? [] : this.#conversations.conversations;
  }

  /** Schedules an update, long enough after the last one that the editor stays responsive. */
  #schedule(): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        const began = performance.now();
        this.#conversations.update();
        this.#took = performance.now() - began;
        this.#show();
      },
      Math.max(INTERVAL, PAUSE * this.#took),
    );
  }

  #show(): void {
    const { conversations, dropped, received } = this.#conversations;
    const { length } = conversations;
    const kept = new Set(conversations.map(({ id }) => id));
    for (const id of this.#judged.keys()) if (!kept.has(id)) this.#judged.delete(id);
    const message =
      dropped > 0
        ? `${counted(dropped, 'older conversation')} dropped. Turnlight keeps up to ${LIMITS.inboxConversations}.`
        : length === 0 && received > 0
          ? `${counted(received, 'span')} received, but none about a model, tool, or agent.`
          : '';
    this.#view.message = message;
    this.#status.text = `$(radio-tower) Receiving traces: ${length}`;
    if (this.#stop) this.#status.show();
    this.#changed.fire();
  }
}

const UNTRUSTED =
  "Receiving traces uses this workspace's settings, so the workspace must be trusted.";

function setContext(key: string, value: boolean): Thenable<void> {
  return vscode.commands.executeCommand('setContext', key, value);
}
