import { groupBy } from '../../src/core/data/data.ts';
import { scoreText } from '../../src/core/presentation/score.ts';
import { STATUS_WORDS, VALIDITY_WORDS } from '../../src/core/presentation/words.ts';
import { agreesWith, type Opinion, type Subject, subjectKey } from '../../src/core/record/label.ts';
import { type StatedAssertion, statedOf } from '../../src/core/statedAssertion.ts';
import { keyedVerdicts, type TurnVerdict, type Verdict } from '../../src/core/verdict.ts';
import type { FromView, Snapshot } from '../../src/protocol/viewProtocol.ts';
import { h, plainButton } from '../h.ts';
import { labelForm, oppositeOf, scaleOf } from './form.ts';
import { isDisputed, type JudgedOutcome, opinionsText, opinionText } from './opinionText.ts';

/** The parts of a verdict that show its labels. */
export interface LabelParts {
  /** Everything that the parts depend on. */
  readonly shown: unknown;
  /** The value of `data-subject` on the verdict's element. */
  readonly key: string;
  /** `you: right · others: 1 wrong` */
  readonly words: string | undefined;
  /** Whether a person disagrees. */
  readonly isWrong: boolean;
  readonly make: () => HTMLElement;
}

/** A verdict that can be labeled. */
interface Target {
  readonly key: string;
  readonly subject: Subject;
  readonly verdict: Verdict;
  readonly judged: TurnVerdict | Verdict;
  readonly labels: Readonly<Record<string, number>> | undefined;
}

interface LabelsHost {
  readonly post: (message: FromView) => void;
  readonly onChange: () => void;
  /** Expands everything around an element. */
  readonly onOpen: (element: HTMLElement) => void;
  readonly titleOf: (verdict: Verdict) => string;
}

/** The labels of all verdicts on the page. The user can add and remove their own labels. */
export class Labels {
  /** Announcements for screen readers. */
  readonly announcement = h('div', { class: 'hidden', 'aria-live': 'polite' });
  readonly #host: LabelsHost;
  readonly #targets = new Map<string, Target>();
  readonly #keys = new Map<Verdict, string>();
  #given: ReadonlyMap<string, readonly Opinion[]> = new Map();
  #labels: Snapshot['labels'];
  #editing: { readonly key: string; readonly form: HTMLElement } | undefined;

  constructor(host: LabelsHost) {
    this.#host = host;
  }

  reset(): void {
    this.#editing = undefined;
  }

  show({ labels, verdicts, assertions }: Snapshot): void {
    this.#labels = labels;
    this.#targets.clear();
    this.#keys.clear();
    this.#given = groupBy(labels?.given ?? [], subjectKey);
    if (labels) this.#add(verdicts, assertions);
  }

  #add(verdicts: readonly Verdict[], assertions: readonly StatedAssertion[]): void {
    for (const [assertion, verdict] of keyedVerdicts(verdicts)) {
      this.#keys.set(verdict, assertion);
      const stated = statedOf(verdict, assertions);
      const add = (judged: Target['judged'], turn?: number) => {
        const subject = { assertion, ...(turn !== undefined && { turn }) };
        const key = subjectKey(subject);
        const labels = judged.label === undefined ? undefined : stated?.labels;
        this.#targets.set(key, { key, subject, verdict, judged, labels });
      };
      add(verdict);
      for (const one of verdict.turns) add(one, one.turn);
      this.#add(verdict.nested ?? [], stated?.nested ?? []);
    }
  }

  /** Everything that the labels of a verdict and its nested verdicts depend on. */
  shown(verdict: Verdict): unknown[] {
    const own = this.parts(verdict)?.shown;
    return [own, ...(verdict.nested ?? []).map((one) => this.shown(one))];
  }

  /** Undefined if labeling isn't available. */
  parts(verdict: Verdict, entry?: TurnVerdict): LabelParts | undefined {
    const assertion = this.#keys.get(verdict);
    if (!this.#labels || assertion === undefined) return undefined;
    const key = subjectKey({ assertion, ...(entry && { turn: entry.turn }) });
    const target = this.#targets.get(key);
    if (!target) return undefined;
    const given = this.#given.get(key) ?? [];
    const tally = this.#tally(target);
    const isEdited = this.#editing?.key === key;
    return {
      shown: [given, isEdited, tally],
      key,
      words: opinionsText(given, target.judged, this.#labels.person),
      isWrong: isDisputed(given, target.judged),
      make: () => this.#line(target, given),
    };
  }

  /** A judge's accuracy: `openai:judge was right in 17 of 20 labeled turns`; undefined if there are no labels. */
  #tally({ subject, verdict }: Target): string | undefined {
    const of = subject.turn === undefined ? 'cases' : 'turns';
    const { judge } = verdict;
    const found = this.#labels?.tallies.find(
      (one) => one.judge === judge?.model && one.assertion === subject.assertion && one.of === of,
    );
    if (!found) return undefined;
    return `${found.judge} was right in ${found.right} of ${found.compared} labeled ${of}`;
  }

  /** @returns whether it handled the key */
  press(key: string, at: Element | null): boolean {
    if (!this.#labels) return false;
    if (key === 'u') {
      if (this.#labels.undo) this.#host.post({ kind: 'undo-label' });
      this.#announce(this.#labels.undo ? 'Undone' : 'Nothing to undo');
      return true;
    }
    if (!['r', 'w', 'Delete'].includes(key)) return false;
    const target = this.#targets.get(subjectAt(at) ?? '');
    if (!target) return false;
    if (key === 'r') this.#markRight(target);
    else if (key === 'w') this.#edit(target);
    else this.#remove(target);
    return true;
  }

  #own(key: string): Opinion | undefined {
    const { person } = this.#labels ?? {};
    const given = this.#given.get(key) ?? [];
    return given.find((one) => one.person === person && one.standing !== 'earlier-text');
  }

  #markRight(target: Target): void {
    const { key, subject, judged, labels } = target;
    const { status } = judged;
    const own = this.#own(key);
    // The label of a criterion is the same as its status.
    const label = labels && judged.label;
    if (status === 'error') this.#edit(target);
    else if (own && agreesWith(own, judged)) this.#remove(target);
    else {
      this.#stopEditing();
      this.#host.post({ kind: 'label', ...subject, status, ...(label !== undefined && { label }) });
      this.#announce('Labeled as right');
    }
  }

  #remove({ key, subject }: Target): void {
    if (!this.#own(key)) return;
    this.#host.post({ kind: 'remove-label', ...subject });
    this.#announce('Label removed');
  }

  #edit(target: Target): void {
    const { key, subject, verdict, judged, labels } = target;
    const form = labelForm({
      name: this.#nameOf(target),
      threshold: verdict.threshold,
      labels,
      scale: labels ? undefined : scaleOf(judged, verdict),
      before: this.#own(key) ?? oppositeOf(judged),
      onSave: (value) => {
        this.#host.post({ kind: 'label', ...subject, ...value });
        this.#announce('Labeled');
        this.#close(key);
      },
      onCancel: () => this.#close(key),
    });
    this.#editing = { key, form };
    this.#host.onChange();
    this.#host.onOpen(form);
    const chosen = form.querySelector<HTMLElement>('input:checked') ?? form.querySelector('input');
    chosen?.focus();
  }

  #stopEditing(): void {
    if (!this.#editing) return;
    this.#editing = undefined;
    this.#host.onChange();
  }

  #close(key: string): void {
    this.#stopEditing();
    const place = document.querySelector(`[data-subject="${CSS.escape(key)}"]`);
    const focused = place?.matches('details') ? place.querySelector('summary') : place;
    if (focused instanceof HTMLElement) focused.focus();
  }

  #announce(words: string): void {
    this.announcement.textContent = '';
    this.announcement.textContent = words;
  }

  /** `Remembers, failed, score 0.50, turn 4` */
  #nameOf({ subject, verdict, judged }: Target): string {
    const { status, score } = judged;
    return [
      this.#host.titleOf(verdict),
      STATUS_WORDS[status],
      ...(score === null ? [] : [`score ${scoreText(score, verdict.threshold)}`]),
      ...(subject.turn === undefined ? [] : [`turn ${subject.turn}`]),
    ].join(', ');
  }

  #line(target: Target, given: readonly Opinion[]): HTMLElement {
    const { key, judged } = target;
    const tally = this.#tally(target);
    const name = this.#nameOf(target);
    const own = this.#own(key);
    const isRight = own !== undefined && agreesWith(own, judged);
    const isErrored = judged.status === 'error';
    const { person } = this.#labels ?? {};
    const pressed = (is: boolean) => ({ 'aria-pressed': String(own !== undefined && is) });
    const button = (words: string, shortcut: string, onClick: () => void, state = {}) =>
      plainButton(
        {
          class: 'say',
          title: `${words} (${shortcut})`,
          'aria-label': `${words}: ${name}`,
          'aria-keyshortcuts': shortcut,
          'data-focus': `${words} ${name}`,
          ...state,
        },
        onClick,
        words,
      );
    return h(
      'div',
      { class: 'people', role: 'group', 'aria-label': `Labels: ${name}` },
      h(
        'div',
        { class: 'choices' },
        !isErrored && button('Right', 'r', () => this.#markRight(target), pressed(isRight)),
        button(isErrored ? 'Label' : 'Wrong', 'w', () => this.#edit(target), pressed(!isRight)),
        own && button('Remove label', 'Delete', () => this.#remove(target)),
      ),
      this.#editing?.key === key && this.#editing.form,
      tally !== undefined && h('div', { class: 'muted' }, tally),
      given.length > 0 &&
        h('ul', ...given.map((one) => opinionItem(one, judged, one.person === person))),
    );
  }
}

/** The key of an element's verdict. For a turn with only one verdict, the key of that verdict. */
function subjectAt(at: Element | null): string | undefined {
  const own = at?.closest<HTMLElement>('[data-subject]')?.dataset.subject;
  if (own !== undefined) return own;
  const within = at?.closest('.turn')?.querySelectorAll<HTMLElement>('[data-subject]') ?? [];
  return within.length === 1 ? within[0]?.dataset.subject : undefined;
}

/** `bob@example.com: wrong, should be passed “Kind enough”` */
function opinionItem(one: Opinion, judged: JudgedOutcome, isOwn: boolean): HTMLElement {
  const { person, comment } = one;
  const mark = VALIDITY_WORDS[one.standing];
  return h(
    'li',
    { 'data-opinion': agreesWith(one, judged) ? 'right' : 'wrong' },
    h('span', { class: 'name' }, isOwn ? `${person} (you)` : person),
    `: ${opinionText(one, judged)}`,
    comment !== undefined && h('span', { class: 'said-of-it' }, ` “${comment}”`),
    mark !== '' && h('span', { class: 'muted' }, ` · ${mark}`),
  );
}
