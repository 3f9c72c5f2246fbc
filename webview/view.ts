import { turnsOf } from '../src/core/conversation.ts';
import { executionKey } from '../src/core/identity.ts';
import { caseName, STATUS_WORDS } from '../src/core/presentation/words.ts';
import { visibleLine } from '../src/core/text/visibleText.ts';
import type { Verdict } from '../src/core/verdict.ts';
import { isRunning } from '../src/protocol/viewPage.ts';
import type { conversationProtocol, Snapshot, ToView } from '../src/protocol/viewProtocol.ts';
import { FindBox, type SearchablePart } from './find.ts';
import { h } from './h.ts';
import type { Host } from './host.ts';
import { Images } from './images.ts';
import { FIND_KEY, type KeyHelp, listenForKeys } from './keyboard.ts';
import { Labels } from './labels/labels.ts';
import {
  afterDrawing,
  ElementCache,
  ExpandedState,
  FocusRestorer,
  keepScrollPosition,
  setChildren,
} from './redraw.ts';
import { renderAssertion } from './render/assertion.ts';
import { comparedParts } from './render/compared.ts';
import { conversationItems, turnName } from './render/conversation.ts';
import { headerOf, renderHeader } from './render/header.ts';
import { type AssertionRow, assertionRows, titleAmong } from './render/stated.ts';
import { Strip } from './render/strip.ts';
import { failuresControl, type Shown, toolbarParts } from './render/toolbar.ts';
import { STOPS_ON_PAGE, type Stop, TurnNavigator } from './turnNavigator.ts';
import { type Item, VirtualList } from './virtualList.ts';

const KEYS: KeyHelp = [
  [['j', 'k'], 'next and previous turn'],
  [['n', 'p'], 'next and previous failure'],
  [['Shift+N', 'Shift+P'], 'next and previous failing case, or changed case in a comparison'],
  [['v', 'Shift+V'], 'next and previous verdict'],
  [['r', 'w'], 'the verdict is right, or wrong'],
  [['Delete', 'u'], 'remove your label, and undo'],
  [[FIND_KEY], 'find'],
];

/** The conversation page, updated with each snapshot. */
export class ConversationView {
  readonly #root: HTMLElement;
  readonly #host: Host<typeof conversationProtocol>;
  readonly #expanded: ExpandedState;
  readonly #cache: ElementCache;
  /** Cache for the first of two compared runs. */
  readonly #cacheOfBase: ElementCache;
  readonly #navigator: TurnNavigator;
  readonly #find: FindBox;
  readonly #labels: Labels;
  readonly #images: Images;
  readonly #focus: FocusRestorer;
  readonly #failures = failuresControl((step) => this.#navigator.toFailure(step));
  readonly #toolbar = h('div', { class: 'toolbar', role: 'group', 'aria-label': 'Run and view' });
  readonly #strip = new Strip((name) => this.#toItem(name));
  readonly #bar = h('div', { class: 'bar' }, this.#toolbar);
  readonly #assertions = h('section', { class: 'assertions', 'aria-label': 'Verdicts' });
  readonly #conversation = h('section', { class: 'conversation', 'aria-label': 'Conversation' });
  readonly #entries = new VirtualList(this.#conversation);
  readonly #content = h('div', this.#assertions, this.#conversation);
  readonly #announcement = h('div', { class: 'hidden', role: 'status' });
  #snapshot: Snapshot | undefined;
  #rows: readonly AssertionRow[] = [];
  #shown: Shown = { filter: 'all', rendered: true };

  /** @param images data URLs by digest, if there is no editor to load them from */
  constructor(
    root: HTMLElement,
    host: Host<typeof conversationProtocol>,
    images?: Iterable<readonly [string, string]>,
  ) {
    this.#root = root;
    this.#host = host;
    this.#expanded = new ExpandedState(root);
    const restore = (element: HTMLElement) => this.#expanded.restore(element);
    this.#cache = new ElementCache(restore);
    this.#cacheOfBase = new ElementCache(restore);
    this.#navigator = new TurnNavigator(
      this.#content,
      () => this.#stops(),
      () => this.#showFailures(),
    );
    this.#focus = new FocusRestorer(root, () => this.#bar.querySelector('[data-focus]'));
    this.#find = new FindBox(() => this.#parts());
    this.#images = new Images(
      host.editor ? (digest) => host.post({ kind: 'load-image', digest }) : undefined,
      images,
    );
    this.#labels = new Labels({
      post: (message) => host.post(message),
      onChange: () => this.#draw(),
      onOpen: (element) => this.#expanded.expand(element),
      titleOf: (verdict) => titleAmong(this.#rows, verdict),
    });
    listenForKeys(root, (key, at) => this.#press(key, at));
    // The bar must not cover scroll targets and focused elements.
    new ResizeObserver(() => {
      this.#strip.show(this.#entries.items, this.#root.clientWidth);
      const { style } = document.documentElement;
      style.setProperty('--bar-height', `${this.#bar.offsetHeight}px`);
    }).observe(this.#bar);
  }

  receive(message: ToView): void {
    if (message.kind === 'snapshot') this.show(message.snapshot);
    else if (message.kind === 'image') this.#images.receive(message.digest, message.source);
    else this.#reveal(message.turn);
  }

  show(snapshot: Snapshot): void {
    const before = this.#snapshot;
    this.#snapshot = snapshot;
    this.#host.keep(snapshot.state);
    this.#labels.show(snapshot);
    if (before && keyOf(before) !== keyOf(snapshot)) {
      this.#expanded.reset();
      this.#cache.reset();
      this.#cacheOfBase.reset();
      this.#navigator.reset();
      this.#entries.reset();
      this.#focus.reset();
      this.#labels.reset();
      this.#draw();
      afterDrawing(() => window.scrollTo(0, 0));
      return;
    }
    const covered = this.#bar.getBoundingClientRect().bottom;
    keepScrollPosition(
      () => [...this.#content.querySelectorAll<HTMLElement>(STOPS_ON_PAGE)],
      covered,
      (read) => {
        if (read?.matches('.turn, .turns')) this.#entries.pin(read.dataset.focus);
        this.#draw();
      },
    );
  }

  #reveal(turn: number): void {
    const wanted = turnName(turn);
    const isShown = this.#entries.items.some(({ name }) => name === wanted);
    if (!isShown) this.#change({ ...this.#shown, filter: 'all' });
    this.#toItem(wanted);
  }

  #toItem(name: string): void {
    const found = this.#entries.items.find((item) => item.name === name);
    if (found) this.#navigator.go({ mount: () => this.#entries.mount(found) });
  }

  /** Turns and verdicts, in page order. */
  #stops(): Stop[] {
    const summaries = this.#assertions.querySelectorAll<HTMLElement>('.assertion > summary');
    const verdicts = Array.from(summaries, (summary): Stop => {
      const { subject, failure } = summary.parentElement?.dataset ?? {};
      return {
        name: summary.dataset.focus ?? '',
        kind: subject === undefined ? 'other' : 'verdict',
        failure: failure !== undefined,
        mount: () => this.#mountVerdict(summary),
      };
    });
    const turns = this.#entries.items
      .filter(({ kind }) => kind === 'turn')
      .flatMap((item): Stop[] => [
        { ...item, kind: 'turn', mount: () => this.#entries.mount(item) },
        ...(item.inner ?? []).map((name) => ({
          name,
          kind: 'verdict' as const,
          failure: false,
          mount: () => this.#mountInner(item, name),
        })),
      ]);
    return [...verdicts, ...turns];
  }

  /** The parts to search. */
  #parts(): SearchablePart[] {
    const verdicts = this.#assertions.querySelectorAll<HTMLElement>(':scope > .assertion');
    return [
      ...Array.from(verdicts, (element) => ({ element, mount: () => {} })),
      ...this.#entries.items.map((item) => ({
        element: item.make(),
        mount: () => this.#entries.mount(item),
      })),
    ];
  }

  #press(key: string, at: Element | null): boolean {
    const isTurn = at?.matches('.turn, .turns');
    if (key === FIND_KEY) this.#find.open();
    else if (key === 'j' || (key === 'ArrowDown' && isTurn)) this.#navigator.toTurn(1);
    else if (key === 'k' || (key === 'ArrowUp' && isTurn)) this.#navigator.toTurn(-1);
    else if (key === 'n') this.#navigator.toFailure(1);
    else if (key === 'p') this.#navigator.toFailure(-1);
    else if (key === 'N') this.#toFailingCase(1);
    else if (key === 'P') this.#toFailingCase(-1);
    else if (key === 'v') this.#navigator.toVerdict(1);
    else if (key === 'V') this.#navigator.toVerdict(-1);
    else return this.#labels.press(key, at);
    return true;
  }

  #change(shown: Shown): void {
    this.#shown = shown;
    this.#draw();
  }

  #draw(): void {
    const snapshot = this.#snapshot;
    if (snapshot) this.#focus.draw(() => this.#render(snapshot));
  }

  #render(snapshot: Snapshot): void {
    setChildren(this.#toolbar, this.#toolbarParts(snapshot));
    const { post, editor } = this.#host;
    const rows = assertionRows(snapshot);
    this.#rows = rows;
    const numbers = new Set(turnsOf(snapshot.conversation).map(({ number }) => number));
    const options = {
      shown: this.#shown,
      cache: this.#cache,
      titleOf: (verdict: Verdict) => titleAmong(rows, verdict),
      onOpen: editor ? (turn: number) => post({ kind: 'open-turn', turn }) : undefined,
      labels: (...given: Parameters<Labels['parts']>) => this.#labels.parts(...given),
      image: (...given: Parameters<Images['render']>) => this.#images.render(...given),
    };
    const { above, heads, pair } = comparedParts(snapshot, {
      ...options,
      cacheOfBase: this.#cacheOfBase,
      onFollow: (turn) => this.#reveal(turn),
      onAssertion: editor ? (index) => post({ kind: 'open-assertion', index }) : undefined,
    });
    this.#root.classList.toggle('paired', pair !== undefined);
    const verdicts = pair?.verdicts ?? rows.map((row) => this.#row(row, snapshot, numbers));
    setChildren(this.#assertions, verdicts);
    this.#entries.show(pair?.items ?? conversationItems(snapshot, options));
    const isAsked = snapshot.changed === 'questions' || rows.some((row) => row.changed);
    const changed = snapshot.phase === 'finished' && isAsked && !snapshot.compared;
    const onJudge = editor && changed ? () => post({ kind: 'judge-again' }) : undefined;
    const onFault = editor ? () => post({ kind: 'open-fault' }) : undefined;
    const header = this.#cache.get('header', [headerOf(snapshot), changed], () =>
      renderHeader(snapshot, { onJudge, onFault }),
    );
    this.#strip.show(this.#entries.items, this.#root.clientWidth);
    setChildren(this.#bar, [this.#toolbar, this.#strip.element, this.#find.element, ...heads]);
    setChildren(this.#root, [
      header,
      ...above,
      this.#bar,
      this.#content,
      this.#announcement,
      this.#labels.announcement,
    ]);
    this.#showFailures();
    this.#find.refresh();
    const { state, status, phase } = snapshot;
    const words = visibleLine(`${caseName(state)}: ${status ? STATUS_WORDS[status] : phase}`);
    if (this.#announcement.textContent !== words) this.#announcement.textContent = words;
  }

  #toolbarParts(snapshot: Snapshot): HTMLElement[] {
    const { origin, compared, received } = snapshot;
    const { post, editor } = this.#host;
    const runs = editor && !compared && received !== 'unclear';
    const canSave = runs && (origin === 'simulate' || received !== undefined);
    const actions = {
      onShow: (shown: Shown) => this.#change(shown),
      ...(runs && {
        onRun: () => post({ kind: 'run' }),
        onCancel: () => post({ kind: 'cancel' }),
      }),
      ...(canSave && { onSave: () => post({ kind: 'save' }) }),
      onFind: () => this.#find.open(),
      onRepetition: (chosen: number) => post({ kind: 'show-repetition', repetition: chosen }),
      onFailingCase: (step: 1 | -1) => this.#toFailingCase(step),
      help: KEYS,
    };
    return toolbarParts(snapshot, this.#shown, this.#failures.element, actions, this.#cache);
  }

  #row(
    row: AssertionRow,
    { phase, changed, received }: Snapshot,
    numbers: ReadonlySet<number>,
  ): HTMLElement {
    const { post, editor } = this.#host;
    const running = isRunning(phase);
    const labeled = row.verdict && this.#labels.shown(row.verdict);
    const shown = [row, running, changed, numbers.size, labeled];
    return this.#cache.get(`row ${row.index}`, shown, () =>
      renderAssertion(row, {
        running,
        labels: (verdict) => this.#labels.parts(verdict),
        stale: changed !== undefined,
        turns: { numbers, onFollow: (turn) => this.#reveal(turn) },
        onOpen: editor ? (index) => post({ kind: 'open-assertion', index }) : undefined,
        onRequest:
          editor && !running && !received
            ? (key) => post({ kind: 'show-request', key })
            : undefined,
      }),
    );
  }

  #showFailures(): void {
    const { phase, status } = this.#snapshot ?? {};
    const isJudged = phase === 'finished' && status !== 'skipped';
    this.#failures.show(this.#navigator.failures(), isJudged);
  }

  #toFailingCase(step: 1 | -1): void {
    const { compared, failing } = this.#snapshot ?? {};
    if (compared) this.#host.post({ kind: 'show-changed', step });
    else if (failing) this.#host.post({ kind: 'show-failing', step });
  }

  /** Mounts a verdict above the turns, which may be inside a collapsed verdict. */
  #mountVerdict(summary: HTMLElement): HTMLElement {
    const holder = summary.closest('.nested');
    if (holder) this.#expanded.expand(holder);
    return summary;
  }

  /** Mounts a verdict in a turn, which may be unmounted or collapsed. */
  #mountInner(item: Item, name: string): HTMLElement {
    const turn = this.#entries.mount(item);
    const inner = turn.querySelector<HTMLElement>(`[data-focus="${CSS.escape(name)}"]`) ?? turn;
    this.#expanded.expand(inner);
    return inner;
  }
}

function keyOf({ state: { file, id, variant, repetition } }: Snapshot): string {
  return executionKey({ suite: file, id, variant, repetition });
}
