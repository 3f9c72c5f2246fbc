import { counted, shareText } from '../../src/core/text/format.ts';
import {
  DEFAULT_TABLE_SETTINGS,
  type Results,
  type ResultsTable,
  type resultsProtocol,
  type TableSettings,
  type ToResults,
} from '../../src/protocol/resultsProtocol.ts';
import { h } from '../h.ts';
import type { Host } from '../host.ts';
import { FIND_KEY, type KeyHelp, listenForKeys, renderKeys } from '../keyboard.ts';
import { ElementCache, FocusRestorer, setChildren } from '../redraw.ts';
import { button } from '../ui/controls.ts';
import { columnsOf } from './columns.ts';
import { filterMenus, TextSearch } from './filters.ts';
import { Grid } from './grid.ts';
import { renderFindings, renderHeader, renderSummaries, renderVariants } from './header.ts';
import { executionsIn, filtered, grouped, sorted, summariesOf } from './model.ts';

const KEYS: KeyHelp = [
  [['n', 'p'], 'next and previous failing case, or changed case in a comparison'],
  [['/', FIND_KEY], 'filter by text'],
];

export class ResultsView {
  readonly #root: HTMLElement;
  readonly #host: Host<typeof resultsProtocol>;
  readonly #cache = new ElementCache();
  readonly #focus: FocusRestorer;
  readonly #grid: Grid;
  readonly #search: TextSearch;
  readonly #tools = h('div', { class: 'toolbar', role: 'group', 'aria-label': 'Filter' });
  readonly #count = h('span', { class: 'count', role: 'status' });
  readonly #summaries = h('div', { class: 'all' });
  readonly #heading = h('summary', { 'data-focus': 'assertions' });
  readonly #summary = h(
    'details',
    { class: 'assertions', 'data-key': 'assertions', open: true },
    this.#heading,
    this.#summaries,
  );
  #results: Results | undefined;
  #shown: TableSettings;
  /** The visible cases, in order. */
  #cases: readonly number[] = [];
  #keeping = 0;

  /** @param shown the state that was saved */
  constructor(
    root: HTMLElement,
    host: Host<typeof resultsProtocol>,
    shown: TableSettings = DEFAULT_TABLE_SETTINGS,
  ) {
    this.#root = root;
    this.#host = host;
    this.#shown = shown;
    this.#search = new TextSearch(shown.text, {
      onText: (text) => this.#change({ ...this.#shown, text }),
      onFound: () => this.#draw(),
      onLeave: () => this.#grid.focus(),
      ask: (search, text, from) => host.post({ kind: 'search', search, text, from }),
    });
    this.#grid = new Grid({
      onOpen: (index, column) =>
        host.post({ kind: 'open', case: index, ...(column !== undefined && { column }) }),
      onSort: (by) => this.#sort(by),
      onFold: (group) => this.#fold(group),
      onScroll: (scroll) => {
        this.#shown = { ...this.#shown, scroll };
        this.#keep();
      },
    });
    root.classList.add('results');
    listenForKeys(root, (key) => {
      const isSearch = key === '/' || key === FIND_KEY;
      if (isSearch) this.#search.focus();
      return isSearch;
    });
    this.#focus = new FocusRestorer(root, () => this.#grid.element);
    new ResizeObserver(() => this.#draw()).observe(root);
  }

  receive(message: ToResults): void {
    if (message.kind === 'snapshot') this.show(message.results);
    else this.found(message);
  }

  show(results: Results): void {
    const first = this.#results === undefined;
    if (results.generation !== this.#results?.generation) this.#search.reset();
    this.#results = results;
    this.#search.grow(executionsIn(results.table));
    this.#draw();
    if (!first) return;
    this.#grid.scrollTo(this.#shown.scroll);
    this.#grid.focus();
    this.#keep();
  }

  found(message: Extract<ToResults, { kind: 'found' }>): void {
    this.#search.found(message);
  }

  focus(): void {
    this.#grid.focus();
  }

  #change(shown: TableSettings): void {
    this.#shown = shown;
    this.#keep();
    this.#draw();
  }

  #sort(by: string): void {
    const { sort, ...rest } = this.#shown;
    if (sort?.by !== by) this.#change({ ...rest, sort: { by, descending: false } });
    else if (!sort.descending) this.#change({ ...rest, sort: { by, descending: true } });
    else this.#change(rest);
  }

  #fold(group: string): void {
    const { folded } = this.#shown;
    const others = folded.filter((name) => name !== group);
    const isFolded = others.length < folded.length;
    this.#change({ ...this.#shown, folded: isFolded ? others : [...folded, group] });
  }

  /** Saves the state. Debounced, because scrolling changes it often. */
  #keep(): void {
    clearTimeout(this.#keeping);
    this.#keeping = window.setTimeout(() => {
      const { records, comparison } = this.#results ?? {};
      const base = comparison && { base: comparison.base };
      if (records) this.#host.keep({ records, ...base, shown: this.#shown });
    }, 200);
  }

  #draw(): void {
    const results = this.#results;
    if (results) this.#focus.draw(() => this.#render(results));
  }

  #render(results: Results): void {
    const { table, order } = results;
    const shown = this.#shown;
    const chosen = filtered(table, shown, this.#search.cases);
    this.#cases = sorted(table, chosen, shown.sort, order);
    const header = this.#cache.get(
      'header',
      [results.title, results.facts, results.problems, results.phase],
      () => renderHeader(results),
    );
    this.#heading.textContent = results.comparison ? 'Differences between the runs' : 'Assertions';
    setChildren(this.#summaries, [this.#above(results, chosen)]);
    setChildren(this.#tools, [
      this.#search.element,
      ...filterMenus(table, shown, (changed) => this.#change(changed), this.#cache),
      ...this.#clearing(table),
      ...this.#actions(results),
      this.#cache.get('keys', FIND_KEY, () => renderKeys(KEYS)),
    ]);
    this.#count.textContent = this.#countText(table);
    const { variants = [] } = results;
    const compared = this.#cache.get('variants', variants, () => renderVariants(variants));
    setChildren(this.#root, [
      header,
      ...(variants.length > 0 ? [compared] : []),
      ...[this.#summary, this.#tools, this.#count, this.#grid.element],
    ]);
    this.#grid.show({
      table,
      rows: grouped(table, this.#cases, shown),
      columns: columnsOf(table, this.#root.clientWidth, shown.assertion),
      sort: shown.sort,
    });
  }

  /** The part above the table. */
  #above({ generation, table, comparison }: Results, chosen: readonly number[]): HTMLElement {
    if (comparison) {
      const { findings } = comparison;
      return this.#cache.get('findings', findings ?? '', () =>
        findings ? renderFindings(findings) : h('p', { class: 'muted' }, 'Comparing …'),
      );
    }
    const key = [generation, executionsIn(table), chosen];
    return this.#cache.get('summaries', key, () => renderSummaries(summariesOf(table, chosen)));
  }

  #countText(table: ResultsTable): string {
    const { length } = this.#cases;
    const all = table.cases.length;
    const shown = length === all ? counted(all, 'case') : `${length} of ${counted(all, 'case')}`;
    const share = this.#search.progress(executionsIn(table));
    return share === undefined ? shown : `${shown} · searching, ${shareText(share)}`;
  }

  /** What to show if the filters match nothing. */
  #clearing({ cases }: ResultsTable): HTMLElement[] {
    if (cases.length === 0 || this.#cases.length > 0) return [];
    const onClick = () => {
      const { sort, group, folded } = this.#shown;
      this.#search.clear();
      this.#change({ ...DEFAULT_TABLE_SETTINGS, ...(sort && { sort }), group, folded });
      this.#grid.focus();
    };
    return [this.#cache.get('clear', '', () => button({ label: 'Clear filters', onClick }))];
  }

  #actions({ comparison, table, phase }: Results): HTMLElement[] {
    if (!this.#host.editor) return [];
    const { post } = this.#host;
    const make = (label: string, onClick: () => void) =>
      this.#cache.get(label, FIND_KEY, () => button({ label, onClick }));
    const isCutOff = phase === 'interrupted';
    const resume = isCutOff ? [make('Resume', () => post({ kind: 'resume' }))] : [];
    if (table.cases.length === 0) return resume;
    const copy = make('Copy as Markdown', () => post({ kind: 'copy', cases: [...this.#cases] }));
    // Reporters need a whole run, so a comparison can't be exported.
    if (comparison) return [copy];
    return [
      ...resume,
      make('Compare with…', () => post({ kind: 'compare' })),
      copy,
      make('Export CSV', () => post({ kind: 'export', format: 'csv' })),
      make('Export HTML', () => post({ kind: 'export', format: 'html' })),
    ];
  }
}
