import * as vscode from 'vscode';
import { textOf, turnsOf } from '../../core/conversation.ts';
import { visibleLog } from '../../core/logger.ts';
import { assertionLine } from '../../interop/talkTarget.ts';
import { type FromTalk, talkProtocol } from '../../protocol/talkProtocol.ts';
import { Talk } from '../../runner/talk.ts';
import { askForHosts } from '../allowedHosts.ts';
import type { CaseLocation } from '../commands/caseLocation.ts';
import { editorModels } from '../lm/editorModels.ts';
import { offerKey } from '../lm/keys.ts';
import { imageMessage } from '../pages/imageMessage.ts';
import {
  createPanel,
  type PageActions,
  type PageParts,
  WebviewPage,
} from '../pages/webviewPage.ts';
import type { Secrets } from '../secrets.ts';
import { runSettings } from '../testing/runSettings.ts';
import { askText } from '../workspace.ts';
import { askForAssertion, saveTalk, type TalkCheck, type TalkChecks } from './saveTalk.ts';
import {
  adaptStart,
  askForKeys,
  startFromCase,
  startFromTarget,
  type TalkStart,
  type TargetPlace,
} from './startTalk.ts';

/** Milliseconds between two snapshots. */
const INTERVAL = 50;

/** Opens a page to talk to a target. @param given a case to start from, or a file with targets */
export async function openTalk(
  given: CaseLocation | TargetPlace,
  parts: PageParts,
  secrets: Secrets,
): Promise<void> {
  const start = 'id' in given ? await startFromCase(given) : await startFromTarget(given);
  if (!start) return;
  const { Active, Beside } = vscode.ViewColumn;
  const column = vscode.window.activeTextEditor ? Beside : Active;
  new TalkPage(createPanel('talk', column), start, parts, secrets);
}

class TalkPage extends WebviewPage<typeof talkProtocol> {
  #start: TalkStart;
  readonly #secrets: Secrets;
  readonly #abort = new AbortController();
  /** By the key of their exchange. */
  readonly #checks = new Map<object, TalkCheck>();
  #talk: Promise<Talk> | undefined;
  #error: string | undefined;
  #note: string | undefined;
  #unsent: { readonly id: number; readonly text: string } | undefined;

  constructor(panel: vscode.WebviewPanel, start: TalkStart, parts: PageParts, secrets: Secrets) {
    super(panel, 'talk', talkProtocol, INTERVAL, parts);
    this.#start = start;
    this.#secrets = secrets;
    this.title = `Talk: ${start.talkCase.origin.target.name}`;
  }

  /** Ends the target's session and its process. */
  override dispose(): void {
    this.#abort.abort();
    void this.#talk?.then((talk) => talk.close()).catch((error) => this.parts.log.error(error));
    super.dispose();
  }

  protected async show(): Promise<void> {
    const talk = await this.#opened();
    const { speaking } = talk;
    await this.post({
      kind: 'snapshot',
      talk: {
        target: this.#start.talkCase.origin.target.name,
        about: this.#start.about,
        conversation: talk.conversation,
        isReplying: talk.isReplying,
        ...(speaking !== undefined && { speaking }),
        checks: [...this.#checksOf(talk)].map(([turn, { mark, assert }]) => ({
          turn,
          ...(mark && { mark }),
          assertions: assert.map(assertionLine),
        })),
        branches: talk.branches,
        ...(this.#note !== undefined && { note: this.#note }),
        ...(this.#error !== undefined && { error: this.#error }),
        ...(this.#unsent && { unsent: this.#unsent }),
      },
    });
  }

  #opened(): Promise<Talk> {
    this.#talk ??= this.#open();
    return this.#talk;
  }

  async #open(): Promise<Talk> {
    const { suite, talkCase } = this.#start;
    const { keys } = this.#secrets;
    const { log } = this.parts;
    // Asking again must not return the same reply.
    const { cache: _, ...settings } = runSettings([suite], keys.env, {});
    return Talk.open(
      suite,
      talkCase,
      {
        ...settings,
        ...keys,
        allowedHosts: await askForHosts([talkCase], keys),
        scrubber: await this.#secrets.scrubber(),
        editorModels,
        forbidOnly: false,
        keepRecord: false,
        log: visibleLog(log),
        signal: this.#abort.signal,
        onEvent: (event) => {
          if (event.kind === 'output') visibleLog(log).info(event.text);
        },
      },
      () => this.refresh(),
      this.#fail,
    );
  }

  readonly #fail: Parameters<typeof Talk.open>[4] = (text, failure) => {
    this.#failed(text, failure).catch((error) => this.parts.log.error(error));
  };

  async #failed(...[text, failure]: Parameters<Parameters<typeof Talk.open>[4]>): Promise<void> {
    const talk = await this.#opened();
    const isFirst = failure !== undefined && talk.replies.size === 0;
    const adapted = isFirst ? await adaptStart(this.#start, failure.message) : undefined;
    if (failure) this.parts.log.error(failure.message);
    if (adapted) {
      await this.#restartWith(adapted, talk);
      return this.#say({ text });
    }
    this.#unsent = { id: (this.#unsent?.id ?? 0) + 1, text };
    this.#note = failure ? undefined : 'Cancelled. Your message is below.';
    this.#error = failure?.message;
    this.refresh();
    if (failure?.reason === 'missing-key') {
      const { uri, talkCase } = this.#start;
      return offerKey(uri, [talkCase], this.#secrets, async () => this.reveal());
    }
    const completed = isFirst && (await askForKeys(this.#start, failure.message));
    if (completed && talk === (await this.#opened())) {
      this.#error = undefined;
      await this.#restartWith(completed, talk);
    }
  }

  /** Goes on with a changed target. @param talk the one that ends */
  async #restartWith(start: TalkStart, talk: Talk): Promise<void> {
    this.#start = start;
    this.#talk = undefined;
    await talk.close();
    this.refresh();
  }

  async #say({ text, turn }: Pick<Extract<FromTalk, { kind: 'say' }>, 'text' | 'turn'>) {
    const talk = await this.#opened();
    if (talk.isReplying) return;
    this.#error = undefined;
    this.#note = talk.repeats(turn)
      ? 'The target keeps the conversation itself, so your earlier messages were sent again in a new session. Its replies may differ.'
      : undefined;
    await talk.say(text, turn);
    this.refresh();
  }

  /** What the person says about the replies that are shown. */
  #checksOf(talk: Talk): TalkChecks {
    return new Map(
      [...talk.replies].flatMap(([turn, { key }]) => {
        const own = this.#checks.get(key);
        return own ? [[turn, own] as const] : [];
      }),
    );
  }

  /** Changes what the person says about a reply. @param change returns undefined if nothing changes */
  async #check(
    turn: number,
    change: (own: TalkCheck, talk: Talk) => Promise<TalkCheck | undefined>,
  ): Promise<void> {
    const talk = await this.#opened();
    const key = talk.replies.get(turn)?.key;
    if (!key) return;
    const changed = await change(this.#checks.get(key) ?? { assert: [] }, talk);
    if (changed) this.#checks.set(key, changed);
    this.refresh();
  }

  #mark({ turn, mark }: Extract<FromTalk, { kind: 'mark' }>): Promise<void> {
    return this.#check(turn, (own, talk) => this.#askForMark(turn, mark, own, talk));
  }

  async #askForMark(
    turn: number,
    mark: 'right' | 'wrong',
    own: TalkCheck,
    talk: Talk,
  ): Promise<TalkCheck | undefined> {
    const said = turnsOf(talk.conversation).find(({ number }) => number === turn);
    const isRight = mark === 'right';
    const words = await askText({
      title: isRight ? `Turn ${turn} is right` : `Turn ${turn} is wrong`,
      prompt: isRight
        ? 'What makes it right? It becomes a criterion. If empty, only the reply is saved, as `expected`.'
        : 'What should it have done? Your answer becomes a criterion.',
      placeHolder: isRight ? 'Optional' : 'The reply names the order number.',
      ignoreFocusOut: true,
      validateInput: (text) =>
        isRight || text.trim() !== '' ? undefined : 'Write one sentence, or press Escape.',
    });
    if (words === undefined) return undefined;
    const criterion = words.trim();
    return {
      mark,
      assert: [...own.assert, ...(criterion === '' ? [] : [criterion])],
      ...(isRight && said && { expected: textOf(said) }),
    };
  }

  #addAssertion(turn: number): Promise<void> {
    return this.#check(turn, async (own) => {
      const assertion = await askForAssertion(turn, this.#start);
      return assertion === undefined ? undefined : { ...own, assert: [...own.assert, assertion] };
    });
  }

  async #save(): Promise<void> {
    const talk = await this.#opened();
    if (talk.isReplying) return;
    const checks = this.#checksOf(talk);
    const saved = await saveTalk(talk.conversation, checks, this.#start, this.#secrets);
    if (saved) this.#start = { ...this.#start, uri: saved, typed: undefined };
  }

  async #loadImage(digest: string): Promise<void> {
    const { conversation } = await this.#opened();
    const { images } = this.#start.talkCase;
    await this.post(await imageMessage(digest, [conversation], { sources: images, roots: [] }));
  }

  protected readonly actions: PageActions<typeof talkProtocol> = {
    say: (message) => this.#say(message),
    cancel: async () => (await this.#opened()).cancel(),
    mark: (message) => this.#mark(message),
    'add-assertion': ({ turn }) => this.#addAssertion(turn),
    'remove-assertion': ({ turn, index }) =>
      this.#check(turn, async (own) => ({ ...own, assert: own.assert.toSpliced(index, 1) })),
    'show-branch': async ({ turn, at }) => {
      this.#error = undefined;
      this.#note = undefined;
      await (await this.#opened()).showBranch(turn, at);
    },
    restart: async () => {
      this.#checks.clear();
      this.#error = undefined;
      this.#note = undefined;
      await (await this.#opened()).restart();
    },
    save: () => this.#save(),
    'load-image': ({ digest }) => this.#loadImage(digest),
  };
}
