import { type Turn, textOf, turnsOf } from '../../src/core/conversation.ts';
import type { TalkSnapshot, ToTalk, talkProtocol } from '../../src/protocol/talkProtocol.ts';
import { MAX_MESSAGE } from '../../src/protocol/talkProtocol.ts';
import { h, notices, plainButton } from '../h.ts';
import type { Host } from '../host.ts';
import { Images } from '../images.ts';
import { type KeyHelp, listenForKeys, renderKeys } from '../keyboard.ts';
import { ElementCache, FocusRestorer, setChildren } from '../redraw.ts';
import { conversationItems, turnName, withoutVerdicts } from '../render/conversation.ts';
import { TurnNavigator, turnAt } from '../turnNavigator.ts';
import { button } from '../ui/controls.ts';
import { VirtualList } from '../virtualList.ts';

const KEYS: KeyHelp = [
  [['Enter', 'Shift+Enter'], 'send the message, and start a new line'],
  [['Escape'], 'cancel the reply; otherwise, from the message to the last turn'],
  [['i'], 'back to the message'],
  [['j', 'k'], 'next and previous turn'],
  [['r', 'w'], 'the reply is right, or wrong'],
  [['a'], 'add an assertion about the reply'],
  [['e'], 'edit your message, and continue from there (also ↑ in an empty message)'],
  [['b'], 'show the next branch of the conversation, if you edited a message'],
  [['s'], 'save as case'],
];

const MARKS = { right: '✓ Right', wrong: '✗ Wrong' } as const;

/** Maximum characters of a conversation that a reload shows. The editor stores them with each change of the message. */
const MAX_KEPT = 200_000;

/** Distance from the end of the page, in pixels, within which the page follows new text. */
const NEAR_END = 120;

/** A conversation with a target, and a box to write to it. */
export class TalkView {
  readonly #host: Host<typeof talkProtocol>;
  readonly #cache = new ElementCache();
  readonly #images: Images;
  readonly #header = h('header', { class: 'top' });
  readonly #toolbar: HTMLElement;
  readonly #conversation = h('section', { class: 'conversation', 'aria-label': 'Conversation' });
  readonly #turns = new VirtualList(this.#conversation);
  readonly #navigator: TurnNavigator;
  readonly #focus: FocusRestorer;
  readonly #message = h('textarea', {
    rows: '2',
    class: 'message',
    'aria-label': 'Message',
    'data-focus': 'message',
    maxlength: String(MAX_MESSAGE),
  });
  readonly #send = button({
    label: 'Send',
    key: 'Enter',
    primary: true,
    onClick: () => this.#say(),
  });
  readonly #cancel = button({ label: 'Cancel', key: 'Escape', onClick: () => this.#escape() });
  readonly #status = h('div', { class: 'muted', role: 'status' });
  readonly #problems = h('div', { role: 'alert' });
  readonly #composer = h('div', { class: 'composer' });
  #talk: TalkSnapshot | undefined;
  /** The number of the turn that is being edited, and the message that was there before. */
  #edited: { readonly turn: number; readonly before: string } | undefined;
  #unsent = 0;
  /** What a reload shows. */
  #kept: TalkSnapshot | undefined;

  constructor(root: HTMLElement, host: Host<typeof talkProtocol>, draft = '') {
    this.#host = host;
    this.#images = new Images((digest) => host.post({ kind: 'load-image', digest }));
    root.classList.add('talk');
    this.#message.value = draft;
    this.#focus = new FocusRestorer(root, () => this.#message);
    this.#navigator = new TurnNavigator(
      this.#conversation,
      () => this.#turns.items.map((item) => ({ ...item, mount: () => this.#turns.mount(item) })),
      () => {},
    );
    this.#toolbar = h(
      'div',
      { class: 'toolbar', role: 'group', 'aria-label': 'Conversation' },
      button({ label: 'Save as case', key: 's', onClick: () => host.post({ kind: 'save' }) }),
      button({ label: 'Start over', onClick: () => this.#restart() }),
      renderKeys(KEYS),
    );
    listenForKeys(root, (key, at) => this.#press(key, at));
    this.#message.addEventListener('keydown', (event) => this.#type(event));
    this.#message.addEventListener('input', () => this.#keep());
    setChildren(root, [this.#header, this.#toolbar, this.#conversation, this.#composer]);
    window.addEventListener('focus', () => {
      if (document.activeElement === document.body) this.#message.focus();
    });
  }

  receive(message: ToTalk): void {
    if (message.kind === 'image') {
      this.#images.receive(message.digest, message.source);
      return;
    }
    const { talk } = message;
    const isFirst = this.#talk === undefined;
    const { scrollHeight } = document.documentElement;
    const follows = window.innerHeight + window.scrollY > scrollHeight - NEAR_END;
    this.#talk = talk;
    if (!talk.isReplying) {
      const isLong = JSON.stringify(talk).length > MAX_KEPT;
      this.#kept = isLong ? { ...talk, conversation: NOTHING, checks: [], branches: [] } : talk;
      this.#keep();
    }
    if (talk.unsent && talk.unsent.id !== this.#unsent) {
      this.#unsent = talk.unsent.id;
      if (this.#message.value === '') this.#write(talk.unsent.text);
    }
    this.#focus.draw(() => this.#draw(talk));
    if (isFirst && !talk.ended) this.#message.focus();
    if (follows) window.scrollTo(0, document.documentElement.scrollHeight);
  }

  #draw(talk: TalkSnapshot): void {
    const { target, about, conversation, isReplying, checks, speaking } = talk;
    const header = this.#cache.get('header', [target, about], () =>
      h('div', h('h1', `Talk to ${target}`), h('div', { class: 'muted' }, about)),
    );
    setChildren(this.#header, [header]);
    const snapshot = withoutVerdicts(target, conversation);
    const items = conversationItems(snapshot, {
      shown: { filter: 'all', rendered: true },
      cache: this.#cache,
      titleOf: () => '',
      onOpen: undefined,
      labels: () => undefined,
      image: (...given) => this.#images.render(...given),
      footer: (turn) => {
        const own = checks.find((one) => one.turn === turn.number);
        const branch = talk.branches.find((one) => one.turn === turn.number);
        const isDone = turn.number !== speaking;
        return {
          shown: [own, branch, isDone],
          make: () => this.#footer(turn, own, branch, isDone),
        };
      },
    });
    this.#turns.show(conversation.entries.length > 0 ? items : []);
    const edited = this.#edited;
    const doing = edited && `Editing turn ${edited.turn}. Sending it removes the later turns.`;
    const words = isReplying ? 'Replying …' : (doing ?? talk.note ?? '');
    if (this.#status.textContent !== words) this.#status.textContent = words;
    const problems = this.#cache.get('error', talk.error ?? '', () =>
      h('div', ...notices(talk.error === undefined ? [] : [talk.error])),
    );
    setChildren(this.#problems, [problems]);
    this.#message.placeholder = isReplying ? 'Waiting for the reply …' : 'Message';
    const action = isReplying ? this.#cancel : this.#send;
    const left = talk.branches.filter(({ at }) => at === 0 && !isReplying);
    const back = this.#cache.get('left', left, () =>
      h('div', ...left.map((one) => this.#branch(one))),
    );
    if (talk.ended) this.#toolbar.remove();
    const writing = talk.ended ? [] : [...(left.length > 0 ? [back] : []), this.#message, action];
    setChildren(this.#composer, [this.#problems, this.#status, ...writing]);
  }

  /** A button that shows the next branch. */
  #branch({ turn, at, count }: TalkSnapshot['branches'][number]): HTMLElement {
    const words = at === 0 ? 'Show the earlier branch' : `Branch ${at} of ${count}`;
    const attributes = {
      ...{ class: 'say', title: 'Show the next branch (b)', 'aria-keyshortcuts': 'b' },
      ...{ 'aria-label': `${words}: turn ${turn}`, 'data-focus': `branch ${turn}` },
    };
    return plainButton(attributes, () => this.#toBranch(turn), words);
  }

  #toBranch(turn: number | undefined): void {
    const { branches = [], isReplying = false } = this.#talk ?? {};
    const one = branches.find((found) => found.turn === turn) ?? branches.at(-1);
    if (!one || isReplying) return;
    if (this.#edited) this.#escape();
    // Of branches that were all left, the last one is shown first.
    const at = one.at === 0 ? one.count : (one.at % one.count) + 1;
    this.#host.post({ kind: 'show-branch', turn: one.turn, at });
  }

  #footer(
    turn: Turn,
    own: TalkSnapshot['checks'][number] | undefined,
    branch: TalkSnapshot['branches'][number] | undefined,
    isDone: boolean,
  ) {
    const { post } = this.#host;
    const { number } = turn;
    const control = (words: string, key: string, onClick: () => void, pressed?: boolean) => {
      const attributes = { class: 'say', title: `${words} (${key})`, 'aria-keyshortcuts': key };
      const name = { 'aria-label': `${words}: turn ${number}`, 'data-focus': `${words} ${number}` };
      const state = pressed === undefined ? {} : { 'aria-pressed': String(pressed) };
      return plainButton({ ...attributes, ...name, ...state }, onClick, words);
    };
    if (!isDone || turn.history || this.#talk?.ended) return h('div');
    if (turn.side === 'user') {
      return h(
        'div',
        { class: 'choices' },
        control('Edit', 'e', () => this.#edit(number)),
        branch && this.#branch(branch),
      );
    }
    const mark = (kind: 'right' | 'wrong', key: string) =>
      control(MARKS[kind], key, () => this.#mark(number, kind), own?.mark === kind);
    const assertions = (own?.assertions ?? []).map((words, index) => {
      const remove = () => post({ kind: 'remove-assertion', turn: number, index });
      const name = `Remove assertion ${index + 1} of turn ${number}`;
      const attributes = { class: 'say', 'aria-label': name, 'data-focus': name, title: 'Remove' };
      return h('li', `${words} `, plainButton(attributes, remove, '×'));
    });
    return h(
      'div',
      h(
        'div',
        { class: 'choices' },
        mark('right', 'r'),
        mark('wrong', 'w'),
        control('Add assertion', 'a', () => this.#assert(number)),
      ),
      assertions.length > 0 &&
        h('ul', { 'aria-label': `Assertions: turn ${number}` }, ...assertions),
    );
  }

  #press(key: string, at: Element | null): boolean {
    const reply = () => this.#turnNear(at, 'assistant');
    if (this.#talk?.ended && key !== 'j' && key !== 'k') return false;
    if (key === 'Escape') this.#escape();
    else if (key === 'j') this.#navigator.toTurn(1);
    else if (key === 'k') this.#navigator.toTurn(-1);
    else if (key === 'i') this.#message.focus();
    else if (key === 'r') this.#mark(reply(), 'right');
    else if (key === 'w') this.#mark(reply(), 'wrong');
    else if (key === 'a') this.#assert(reply());
    else if (key === 'e') this.#edit(this.#turnNear(at, 'user'));
    else if (key === 'b') this.#toBranch(this.#turnNear(at, 'user'));
    else if (key === 's') this.#host.post({ kind: 'save' });
    else return false;
    return true;
  }

  #type(event: KeyboardEvent): void {
    const { key, shiftKey, isComposing } = event;
    if (isComposing) return;
    if (key === 'Enter' && !shiftKey) this.#say();
    else if (key === 'Escape') this.#escape();
    else if (key === 'ArrowUp' && this.#message.value === '')
      this.#edit(this.#turnNear(null, 'user'));
    else return;
    event.preventDefault();
  }

  #say(): void {
    const text = this.#message.value.trim();
    if (text === '' || !this.#talk || this.#talk.isReplying) return;
    const turn = this.#edited?.turn;
    this.#edited = undefined;
    this.#write('');
    this.#host.post({ kind: 'say', text, ...(turn !== undefined && { turn }) });
  }

  #escape(): void {
    if (this.#talk?.isReplying) this.#host.post({ kind: 'cancel' });
    else if (this.#edited) {
      this.#write(this.#edited.before);
      this.#edited = undefined;
      this.#redraw();
    } else if (document.activeElement === this.#message) this.#toTurn();
    else this.#message.focus();
  }

  #edit(turn: number | undefined): void {
    const found = turnsOf(this.#talk?.conversation ?? NOTHING).find(
      ({ number }) => number === turn,
    );
    if (!found || this.#talk?.isReplying) return;
    const before = this.#edited?.before ?? this.#message.value;
    this.#edited = { turn: found.number, before };
    this.#write(textOf(found));
    this.#redraw();
    this.#message.focus();
  }

  #mark(turn: number | undefined, mark: 'right' | 'wrong'): void {
    if (turn !== undefined) this.#host.post({ kind: 'mark', turn, mark });
  }

  #assert(turn: number | undefined): void {
    if (turn !== undefined) this.#host.post({ kind: 'add-assertion', turn });
  }

  #restart(): void {
    this.#edited = undefined;
    this.#host.post({ kind: 'restart' });
    this.#message.focus();
  }

  #write(text: string): void {
    this.#message.value = text;
    this.#keep();
  }

  #keep(): void {
    const talk = this.#kept;
    this.#host.keep({ draft: this.#message.value, ...(talk && { talk }) });
  }

  #redraw(): void {
    if (this.#talk) this.#draw(this.#talk);
  }

  /** Focuses the last turn. */
  #toTurn(): void {
    const last = turnsOf(this.#talk?.conversation ?? NOTHING).at(-1);
    const item = last && this.#turns.items.find(({ name }) => name === turnName(last.number));
    if (item) this.#navigator.go({ mount: () => this.#turns.mount(item) });
  }

  /** The number of the live turn of one side that an element is in or next to; default: the last one. */
  #turnNear(at: Element | null, side: Turn['side']): number | undefined {
    const { conversation = NOTHING, speaking } = this.#talk ?? {};
    const turns = turnsOf(conversation).filter(
      (turn) => turn.side === side && !turn.history && turn.number !== speaking,
    );
    const here = turnAt(at);
    const near = [here, here && here + (side === 'assistant' ? 1 : -1)];
    return (turns.find(({ number }) => near.includes(number)) ?? turns.at(-1))?.number;
  }
}

const NOTHING = { entries: [], notes: [] };
