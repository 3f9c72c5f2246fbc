import { scoreText } from '../../src/core/presentation/score.ts';
import { STATUS_WORDS } from '../../src/core/presentation/words.ts';
import { counted } from '../../src/core/text/format.ts';
import type {
  AgreementSnapshot,
  agreementProtocol,
  ThresholdTable,
} from '../../src/protocol/agreementProtocol.ts';
import { h, notices, plainButton, renderTable } from '../h.ts';
import type { Host } from '../host.ts';
import { listenForKeys } from '../keyboard.ts';
import { FocusRestorer } from '../redraw.ts';
import { badge } from '../render/status.ts';
import { renderChart } from '../trends/chart.ts';

/** The page about the agreement of judges with people. */
export class AgreementView {
  readonly #root: HTMLElement;
  readonly #host: Host<typeof agreementProtocol>;
  readonly #focus: FocusRestorer;
  /** The selected row. */
  #row = 0;

  constructor(root: HTMLElement, host: Host<typeof agreementProtocol>) {
    this.#root = root;
    this.#host = host;
    root.classList.add('agreement');
    const firstRow = () => root.querySelector<HTMLElement>('[data-focus="row 0"]');
    this.#focus = new FocusRestorer(root, firstRow);
    listenForKeys(root, (key, at) => {
      const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
      const list = at?.closest('tbody, .items');
      if (step === 0 || !list) return false;
      const buttons = [...list.querySelectorAll<HTMLElement>('button')];
      buttons[buttons.indexOf(at as HTMLElement) + step]?.focus();
      return true;
    });
    host.keep({});
  }

  show(agreement: AgreementSnapshot): void {
    const isFirst = this.#root.childElementCount === 0;
    if (this.#row >= agreement.rows.length) this.#row = 0;
    this.#draw(agreement);
    if (isFirst) this.#root.querySelector<HTMLElement>('[data-focus="row 0"]')?.focus();
  }

  #draw(agreement: AgreementSnapshot): void {
    this.#focus.draw(() => this.#render(agreement));
  }

  #render(agreement: AgreementSnapshot): void {
    const { rows, notes, problems } = agreement;
    const row = rows[this.#row];
    this.#root.replaceChildren(
      h('h1', {}, 'Agreement of judges with people'),
      h('p', { class: 'muted' }, counted(agreement.labels, 'label')),
      ...notices(problems),
      ...(row
        ? [table(agreement, this.#row, (index) => this.#choose(index, agreement))]
        : [none(agreement)]),
      ...(row ? [h('p', { class: 'muted' }, agreement.meaning)] : []),
      ...(notes.length > 0
        ? [h('ul', { class: 'notes' }, ...notes.map((words) => h('li', {}, words)))]
        : []),
      ...(row ? [confusion(row), this.#disagreements(agreement, row)] : []),
      ...(row?.thresholds ? [renderThresholds(row.thresholds)] : []),
    );
  }

  #choose(index: number, agreement: AgreementSnapshot): void {
    this.#row = index;
    this.#draw(agreement);
  }

  #disagreements(
    agreement: AgreementSnapshot,
    row: AgreementSnapshot['rows'][number],
  ): HTMLElement {
    const more = agreement.more;
    return h(
      'section',
      { 'aria-label': 'Disagreements' },
      h('h2', {}, `Disagreements (${row.disagreements.length})`),
      row.disagreements.length === 0 && h('p', { class: 'muted' }, 'None.'),
      h(
        'ul',
        { class: 'items' },
        ...row.disagreements.map((index) => this.#item(agreement.disagreements[index], index)),
      ),
      more > 0 &&
        h(
          'p',
          { class: 'muted' },
          `and ${more} more, which turnlight agreement --format json lists`,
        ),
    );
  }

  #item(
    item: AgreementSnapshot['disagreements'][number] | undefined,
    index: number,
  ): HTMLElement | undefined {
    if (!item) return undefined;
    const { about, judge, status, said, mark } = item;
    const people = said.map(({ person, words }) => `${person}: ${words}`).join(', ');
    const button = plainButton(
      {
        class: 'item',
        'data-focus': `item ${index}`,
        'aria-label': `${about}: ${judge} ${STATUS_WORDS[status]}, ${people}${mark === undefined ? '' : `, ${mark}`}`,
        title: 'Open the conversation',
      },
      () => this.#host.post({ kind: 'open', disagreement: index }),
      badge(status),
      h('span', { class: 'name' }, about),
      h('span', { class: 'muted' }, judge),
    );
    return h(
      'li',
      {},
      button,
      ...said.map(({ person, words, comment }) =>
        h(
          'div',
          { class: 'opinion' },
          `${person}: ${words}`,
          comment !== undefined && ` “${comment}”`,
        ),
      ),
      mark !== undefined && h('div', { class: 'muted' }, mark),
    );
  }
}

function none({ labels }: AgreementSnapshot): HTMLElement {
  const words =
    labels === 0
      ? 'No verdicts are labeled yet. Open a conversation and mark its verdicts as right (r) or wrong (w), or go through all conversations with Label Conversations in the title bar.'
      : 'No judged conversation has a label.';
  return h('p', { class: 'empty' }, words);
}

function table(
  { head, rows }: AgreementSnapshot,
  chosen: number,
  onChoose: (index: number) => void,
): HTMLElement {
  const shown = rows.map(({ cells }, index) => {
    const [judge = '', assertion = '', of = '', ...numbers] = cells;
    const attributes = {
      class: 'link',
      'aria-pressed': String(index === chosen),
      'aria-label': `${assertion}, ${of}, ${judge}: show confusion table and disagreements`,
      'data-focus': `row ${index}`,
    };
    const button = plainButton(attributes, () => onChoose(index), assertion);
    return { cells: [judge, button, of, ...numbers], chosen: index === chosen };
  });
  const label = 'Agreement of each judge and assertion';
  return h('div', { class: 'wide' }, renderTable(head, shown, { label, heading: 1, figures: 3 }));
}

/** The confusion table of a judge and people. */
function confusion({ cells, confusion }: AgreementSnapshot['rows'][number]): HTMLElement {
  const { failFail, failPass, passFail, passPass } = confusion;
  const [judge = '', assertion = '', of = ''] = cells;
  const rows = [
    { cells: ['Judge: failed', `${failFail}`, `${failPass}`] },
    { cells: ['Judge: passed', `${passFail}`, `${passPass}`] },
  ];
  const heads = ['', 'People: failed', 'People: passed'];
  return h(
    'section',
    { 'aria-label': 'Confusion table' },
    h('h2', {}, `${assertion}, ${of}`),
    h('p', { class: 'muted' }, judge),
    renderTable(heads, rows, { class: 'confusion', figures: 1 }),
  );
}

const DRAWN = { precision: 'Precision', recall: 'Recall', kappa: 'Kappa' } as const;

/** Charts and a table of the agreement at other thresholds. */
function renderThresholds({ head, rows, best, words }: ThresholdTable): HTMLElement {
  const charts = (['precision', 'recall', 'kappa'] as const).map((measure) => {
    const points = rows.flatMap((row, run) => {
      const value = row[measure];
      if (value === null) return [];
      const description = `threshold ${row.cells[0]}: ${DRAWN[measure].toLowerCase()} ${scoreText(value)}`;
      // Values below chance are drawn as zero; the table has the number.
      return [{ run, value: Math.max(0, value), words: description }];
    });
    const title = `${DRAWN[measure]} at the best threshold:`;
    return renderChart(points, {
      title,
      runs: rows.length,
      max: 1,
      highlighted: best,
      text: scoreText,
    });
  });
  return h(
    'section',
    { 'aria-label': 'Thresholds' },
    h('h2', {}, 'Thresholds'),
    h('p', {}, words),
    h('div', { class: 'charts' }, ...charts),
    h(
      'div',
      { class: 'wide' },
      renderTable(
        head,
        rows.map(({ cells }, index) => ({ cells, chosen: index === best })),
        { class: 'thresholds', label: 'Agreement at each threshold', figures: 0 },
      ),
    ),
  );
}
