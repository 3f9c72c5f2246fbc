import { counted } from '../../src/core/text/format.ts';
import type {
  LabelingQuestion,
  LabelingSnapshot,
  labelingProtocol,
  ToLabeling,
} from '../../src/protocol/labelingProtocol.ts';
import { h, notices, plainButton } from '../h.ts';
import type { Host } from '../host.ts';
import { Images } from '../images.ts';
import { type KeyHelp, listenForKeys, renderKeys } from '../keyboard.ts';
import { ElementCache, setChildren } from '../redraw.ts';
import { conversationItems, withoutVerdicts } from '../render/conversation.ts';
import { TurnNavigator, turnAt } from '../turnNavigator.ts';
import { VirtualList } from '../virtualList.ts';

const KEYS: KeyHelp = [
  [['1', '2', '3', '…'], 'label the conversation, or the focused turn'],
  [['j', 'k'], 'next and previous turn'],
  [['q'], 'back to the question'],
  [['c'], 'comment on the next label; Enter returns to the question'],
  [['s'], 'skip'],
  [['u'], 'undo'],
];

/** Asks one question at a time about one conversation, without showing verdicts. */
export class LabelingView {
  readonly #root: HTMLElement;
  readonly #host: Host<typeof labelingProtocol>;
  readonly #images: Images;
  readonly #cache = new ElementCache();
  readonly #problems = h('div');
  /** Why a key had no effect. */
  readonly #fault = h('div', { class: 'fault', role: 'alert' });
  readonly #bar = h('div', { class: 'bar asking' });
  readonly #conversation = h('section', { class: 'conversation', 'aria-label': 'Conversation' });
  readonly #entries = new VirtualList(this.#conversation);
  readonly #navigator: TurnNavigator;
  readonly #comment = h('input', {
    type: 'text',
    class: 'comment',
    'aria-label': 'Comment',
    'aria-keyshortcuts': 'c',
    placeholder: 'Comment (c)',
    maxlength: '2000',
  });
  #shown: LabelingSnapshot | undefined;
  /** Identifies the conversation and its question. */
  #asked = '';

  constructor(root: HTMLElement, host: Host<typeof labelingProtocol>) {
    this.#root = root;
    this.#host = host;
    this.#images = new Images((digest) => host.post({ kind: 'load-image', digest }));
    root.classList.add('labeling');
    this.#navigator = new TurnNavigator(
      this.#conversation,
      () =>
        this.#entries.items.map((item) => ({ ...item, mount: () => this.#entries.mount(item) })),
      () => {},
    );
    listenForKeys(root, (key, at) => this.#press(key, at));
    this.#comment.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== 'Escape') return;
      if (event.key === 'Escape') this.#comment.value = '';
      this.#focusQuestion();
      event.preventDefault();
    });
  }

  receive(message: ToLabeling): void {
    if (message.kind === 'image') {
      this.#images.receive(message.digest, message.source);
      return;
    }
    const { labeling: shown, problems, state } = message;
    this.#host.keep(state);
    this.#shown = shown;
    setChildren(this.#problems, notices(problems));
    if (shown.phase === 'asking') this.#ask(shown);
    else {
      this.#asked = '';
      const words = 'Looking for the most informative conversations …';
      const waiting = h('p', { class: 'empty', role: 'status' }, words);
      const part = shown.phase === 'reading' ? waiting : this.#end(shown);
      setChildren(this.#root, [this.#problems, part]);
      this.#root.querySelector<HTMLElement>('h1')?.focus();
    }
  }

  #press(key: string, at: Element | null): boolean {
    if (key === 'u' && this.#shown?.phase !== 'reading') this.#host.post({ kind: 'undo' });
    else if (this.#shown?.phase !== 'asking') return false;
    else if (key === 'j') this.#navigator.toTurn(1);
    else if (key === 'k') this.#navigator.toTurn(-1);
    else if (key === 'q') this.#focusQuestion();
    else if (key === 'c') this.#comment.focus();
    else if (key === 's') this.#host.post({ kind: 'skip' });
    else if (/^[1-9]$/.test(key)) this.#answer(this.#shown, Number(key) - 1, turnAt(at));
    else return false;
    return true;
  }

  #answer({ question }: LabelingQuestion, choice: number, turn: number | undefined): void {
    if (choice >= question.choices.length) return;
    if (turn !== undefined && !question.turns.includes(turn)) {
      this.#fault.textContent = `The judge has no verdict on turn ${turn}. Press q to label the whole conversation.`;
      return;
    }
    this.#fault.textContent = '';
    const comment = this.#comment.value.trim();
    this.#comment.value = '';
    this.#host.post({
      kind: 'answer',
      choice,
      ...(turn !== undefined && { turn }),
      ...(comment !== '' && { comment }),
    });
  }

  #focusQuestion(): void {
    this.#bar.querySelector<HTMLElement>('.question')?.focus();
  }

  #ask(shown: LabelingQuestion): void {
    const { title, conversation, question, at, undo } = shown;
    const asked = JSON.stringify([title, at, question.at, conversation.entries.length]);
    const isOther = asked !== this.#asked;
    if (isOther) {
      this.#asked = asked;
      this.#cache.reset();
      this.#entries.reset();
      this.#navigator.reset();
      this.#fault.textContent = '';
    }
    const parts = [shown.question, undo, at, shown.total, title];
    const bar = this.#cache.get('question', parts, () => this.#question(shown));
    setChildren(this.#bar, [bar, this.#fault]);
    bar.querySelector('.comment-place')?.append(this.#comment);
    setChildren(this.#root, [this.#problems, this.#bar, this.#conversation]);
    this.#entries.show(
      conversationItems(withoutVerdicts(title, conversation), {
        shown: { filter: 'all', rendered: true },
        cache: this.#cache,
        titleOf: () => '',
        onOpen: undefined,
        labels: () => undefined,
        image: (...given) => this.#images.render(...given),
      }),
    );
    if (!isOther) return;
    this.#focusQuestion();
    window.scrollTo(0, 0);
  }

  #question(shown: LabelingQuestion): HTMLElement {
    const { title, total, question, undo } = shown;
    const { count, name, stated, choices, said, turns } = question;
    const own = said.filter(({ turn }) => turn !== undefined);
    const progress = `Conversation ${shown.at} of ${total}`;
    return h(
      'div',
      h('div', { class: 'muted' }, h('span', { role: 'status' }, progress), ` · ${title}`),
      h(
        'div',
        {
          class: 'question',
          tabindex: '-1',
          role: 'group',
          'aria-label': [`Question ${question.at} of ${count}: ${name}`, ...stated].join('\n'),
        },
        h('span', { class: 'muted' }, `Question ${question.at} of ${count} `),
        h('span', { class: 'name' }, name),
        ...stated.map((words) => h('div', { class: 'muted source' }, words)),
      ),
      h(
        'div',
        { class: 'choices', role: 'group', 'aria-label': 'The whole conversation' },
        ...choices.map((words, index) =>
          this.#button(`${index + 1} ${words}`, words, String(index + 1), () =>
            this.#answer(shown, index, undefined),
          ),
        ),
        this.#button('Skip', 'Skip', 's', () => this.#host.post({ kind: 'skip' })),
        undo && this.#button('Undo', 'Undo', 'u', () => this.#host.post({ kind: 'undo' })),
        h('span', { class: 'comment-place' }),
      ),
      own.length > 0 &&
        h(
          'div',
          { class: 'muted', role: 'status' },
          `Your labels: ${own.map(({ turn, words }) => `turn ${turn} ${words}`).join(', ')}`,
        ),
      turns.length > 0 &&
        h('div', { class: 'muted' }, `Turns that can also be labeled: ${turns.join(', ')}`),
      renderKeys(KEYS),
    );
  }

  #button(words: string, name: string, key: string, onClick: () => void): HTMLElement {
    const attributes = { class: 'say', title: `${name} (${key})`, 'aria-label': name };
    return plainButton({ ...attributes, 'aria-keyshortcuts': key }, onClick, words);
  }

  #end(done: Extract<LabelingSnapshot, { phase: 'done' }>): HTMLElement {
    const { labeled, total, gone, agreement, undo } = done;
    const { post } = this.#host;
    if (total === 0) {
      const why = gone
        ? 'The judged conversations belong to cases or assertions that are no longer in this file. Run the file again.'
        : 'No model has judged a conversation of this file yet. Run the file first.';
      return h('section', h('h1', { tabindex: '-1' }, 'Nothing to label'), h('p', why));
    }
    return h(
      'section',
      h('h1', { tabindex: '-1' }, 'That was the last conversation'),
      h('p', { role: 'status' }, `You labeled ${labeled} of ${counted(total, 'conversation')}.`),
      agreement.length > 0 && h('h2', 'How often the judges were right'),
      h('ul', ...agreement.map((words) => h('li', words))),
      h(
        'div',
        { class: 'choices' },
        this.#button('Show agreement', 'Show agreement', 'Enter', () =>
          post({ kind: 'agreement' }),
        ),
        undo && this.#button('Undo', 'Undo', 'u', () => post({ kind: 'undo' })),
      ),
    );
  }
}
