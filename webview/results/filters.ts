import { OUTCOME_ICONS, OUTCOMES, STATUS_WORDS } from '../../src/core/presentation/words.ts';
import { capitalized } from '../../src/core/text/format.ts';
import { statusSchema } from '../../src/core/verdict.ts';
import type { ResultsTable, TableSettings, ToResults } from '../../src/protocol/resultsProtocol.ts';
import { h } from '../h.ts';
import { FIND_KEY } from '../keyboard.ts';
import type { ElementCache } from '../redraw.ts';
import { cachedDropdown, type DropdownOptions } from '../ui/controls.ts';
import { columnName, labelsOf } from './model.ts';

/** Settings that are changed with a menu. */
type MenuKey =
  | ('assertion' | 'change' | 'group' | 'label' | 'people')
  | ('status' | 'tag' | 'variant');

/**
 * Settings that are reset when another setting changes: another assertion's labels, for example, would match nothing.
 */
const RESETS: Partial<Record<MenuKey, Partial<TableSettings>>> = {
  assertion: { label: undefined },
  group: { folded: [] },
};

export function filterMenus(
  table: ResultsTable,
  shown: TableSettings,
  onChange: (shown: TableSettings) => void,
  cache: ElementCache,
): HTMLElement[] {
  const menu = <Key extends MenuKey>(
    key: Key,
    options: DropdownOptions<TableSettings[Key]>['options'],
    label = capitalized(key),
  ) => {
    const choose = (value: TableSettings[Key]) =>
      onChange({ ...shown, ...RESETS[key], [key]: value });
    return cachedDropdown(cache, { label, options, value: shown[key], onChange: choose }, shown);
  };
  const any = (label: string) => ({ value: undefined, label });
  const named = (names: readonly string[]) => names.map((name) => ({ value: name, label: name }));
  const assertions = table.columns.map((_, index) => columnName(table, index));
  const labels = labelsOf(table, shown.assertion);
  const changes = OUTCOMES.map((value) => ({
    value,
    label: `${OUTCOME_ICONS[value]} Only ${value}`,
  }));
  const statuses = statusSchema.options.map((value) => ({
    value,
    label: capitalized(STATUS_WORDS[value]),
  }));
  return [
    table.cases.some(({ compared }) => compared) && menu('change', [any('Any change'), ...changes]),
    menu('status', [
      { value: 'all', label: 'Any status' },
      { value: 'bad', label: 'Failed or errored' },
      ...statuses,
    ]),
    assertions.length > 1 && menu('assertion', [any('Any assertion'), ...named(assertions)]),
    table.variants.length > 0 && menu('variant', [any('Any variant'), ...named(table.variants)]),
    table.tags.length > 0 && menu('tag', [any('Any tag'), ...named(table.tags)]),
    labels.length > 0 && menu('label', [any('Any label'), ...named(labels)]),
    table.cases.some(({ people }) => people) &&
      menu('people', [
        any('Labeled or not'),
        { value: 'right', label: 'Labeled right' },
        { value: 'wrong', label: 'Labeled wrong' },
      ]),
    menu(
      'group',
      [
        { value: 'none', label: 'No groups' },
        { value: 'file', label: 'By file' },
        { value: 'tag', label: 'By tag' },
        ...(table.variants.length > 0 ? [{ value: 'variant', label: 'By variant' } as const] : []),
      ],
      'Group by',
    ),
  ].filter((element) => element !== false);
}

interface TextSearchActions {
  readonly onText: (text: string) => void;
  readonly onFound: () => void;
  /** Moves the focus to the table. */
  readonly onLeave: () => void;
  /** Searches the remaining executions. */
  readonly ask: (search: number, text: string, from: number) => void;
}

/** Milliseconds to wait after the last key press before searching. */
const DEBOUNCE = 150;

/**
 * A search box and the matching cases. The host, which has the whole record, searches it and reports matches in
 * batches.
 */
export class TextSearch {
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #actions: TextSearchActions;
  #text: string;
  #cases = new Set<number>();
  #searched = 0;
  #requested = 0;
  #search = 0;
  #all = 0;
  #timer = 0;

  constructor(text: string, actions: TextSearchActions) {
    this.#actions = actions;
    this.#text = text;
    this.#input = h('input', {
      type: 'search',
      placeholder: `Filter: turns, reasons, names (/)`,
      'aria-label': 'Filter by text',
      'aria-keyshortcuts': '/ Control+F',
      title: `Filter by text (/ or ${FIND_KEY})`,
      spellcheck: 'false',
      maxlength: '1000',
      'data-focus': 'text',
    });
    this.#input.value = text;
    this.element = h('span', { class: 'find', role: 'search' }, this.#input);
    this.#input.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#begin(), DEBOUNCE);
    });
    this.#input.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.#input.value !== '') this.#input.value = '';
      else if (!['Escape', 'Enter', 'ArrowDown'].includes(event.key)) return;
      clearTimeout(this.#timer);
      this.#begin();
      if (event.key !== 'Escape' || this.#text === '') actions.onLeave();
      event.preventDefault();
    });
  }

  /** Matching cases found so far; undefined if there is no search. */
  get cases(): ReadonlySet<number> | undefined {
    return this.#text.trim() === '' ? undefined : this.#cases;
  }

  /** The share that has been searched so far; undefined if no search is active. */
  progress(all: number): number | undefined {
    return this.#text.trim() === '' || this.#searched >= all ? undefined : this.#searched / all;
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#input.value = '';
    this.#begin();
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  /** Discards the matches. */
  reset(): void {
    this.#cases = new Set();
    this.#searched = 0;
    this.#requested = 0;
    this.#all = 0;
  }

  /** Also searches newly added executions. @param all their new total number */
  grow(all: number): void {
    this.#all = all;
    const isAsking = this.#requested > this.#searched;
    if (this.#text.trim() !== '' && !isAsking && all > this.#searched) this.#request();
  }

  found({ search, cases, looked, done }: Extract<ToResults, { kind: 'found' }>): void {
    if (search !== this.#search) return;
    for (const one of cases) this.#cases.add(one);
    this.#searched = looked;
    if (done) this.grow(this.#all);
    this.#actions.onFound();
  }

  #begin(): void {
    const text = this.#input.value;
    if (text === this.#text) return;
    this.#text = text;
    this.#cases = new Set();
    this.#searched = 0;
    this.#request();
    this.#actions.onText(text);
  }

  #request(): void {
    this.#search += 1;
    this.#requested = this.#all;
    this.#actions.ask(this.#search, this.#text, this.#searched);
  }
}
