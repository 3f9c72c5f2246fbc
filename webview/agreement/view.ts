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

/** Shows how well judges agree with people. */
export function showAgreement(root: HTMLElement, host: Host<typeof agreementProtocol>) {
  root.classList.add('agreement');
  let chosen = 0;
  const firstRow = () => root.querySelector<HTMLElement>('[data-focus="row 0"]');
  const focus = new FocusRestorer(root, firstRow);
  listenForKeys(root, (key, at) => {
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    const list = at?.closest('tbody, .items');
    if (step === 0 || !list) return false;
    const buttons = [...list.querySelectorAll<HTMLElement>('button')];
    buttons[buttons.indexOf(at as HTMLElement) + step]?.focus();
    return true;
  });
  host.keep({});
  const draw = (agreement: AgreementSnapshot) => {
    const { rows, notes, problems, labels, meaning } = agreement;
    const row = rows[chosen];
    const choose = (index: number) => {
      chosen = index;
      focus.draw(() => draw(agreement));
    };
    const open = (disagreement: number) => host.post({ kind: 'open', disagreement });
    const parts = [
      h('h1', 'Agreement of judges with people'),
      h('p', { class: 'muted' }, counted(labels, 'label')),
      ...notices(problems),
      row ? table(agreement, chosen, choose) : none(agreement),
      row && h('p', { class: 'muted' }, meaning),
      notes.length > 0 && h('ul', { class: 'notes' }, ...notes.map((words) => h('li', words))),
      row && confusion(row),
      row && disagreements(agreement, row, open),
      row?.thresholds && renderThresholds(row.thresholds),
    ];
    root.replaceChildren(...parts.filter((part) => part instanceof Node));
  };
  return {
    receive({ agreement }: { readonly agreement: AgreementSnapshot }): void {
      const isFirst = root.childElementCount === 0;
      if (chosen >= agreement.rows.length) chosen = 0;
      focus.draw(() => draw(agreement));
      if (isFirst) firstRow()?.focus();
    },
  };
}

function disagreements(
  { disagreements, more }: AgreementSnapshot,
  row: AgreementSnapshot['rows'][number],
  onOpen: (index: number) => void,
): HTMLElement {
  const items = row.disagreements.flatMap((index) => {
    const found = disagreements[index];
    return found ? [disagreement(found, index, onOpen)] : [];
  });
  const rest = `and ${more} more; turnlight agreement --format json lists all`;
  return h(
    'section',
    { 'aria-label': 'Disagreements' },
    h('h2', `Disagreements (${row.disagreements.length})`),
    row.disagreements.length === 0 && h('p', { class: 'muted' }, 'None.'),
    h('ul', { class: 'items' }, ...items),
    more > 0 && h('p', { class: 'muted' }, rest),
  );
}

function disagreement(
  { about, judge, status, said, mark }: AgreementSnapshot['disagreements'][number],
  index: number,
  onOpen: (index: number) => void,
): HTMLElement {
  const opinions = said.map(({ person, words }) => `${person}: ${words}`);
  const spoken = [`${judge} ${STATUS_WORDS[status]}`, ...opinions, ...(mark ? [mark] : [])];
  const button = plainButton(
    {
      class: 'item',
      'data-focus': `item ${index}`,
      'aria-label': `${about}: ${spoken.join(', ')}`,
      title: 'Open the conversation',
    },
    () => onOpen(index),
    badge(status),
    h('span', { class: 'name' }, about),
    h('span', { class: 'muted' }, judge),
  );
  return h(
    'li',
    button,
    ...said.map(({ comment }, at) =>
      h('div', { class: 'opinion' }, opinions[at], comment !== undefined && ` “${comment}”`),
    ),
    mark !== undefined && h('div', { class: 'muted' }, mark),
  );
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

/** The table that compares a judge's answers with people's. */
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
    h('h2', `${assertion}, ${of}`),
    h('p', { class: 'muted' }, judge),
    renderTable(heads, rows, { class: 'confusion', figures: 1 }),
  );
}

const MEASURES = { precision: 'Precision', recall: 'Recall', kappa: 'Kappa' } as const;

/** Charts and a table that show the agreement at other thresholds. */
function renderThresholds({ head, rows, best, words }: ThresholdTable): HTMLElement {
  const scale = { runs: rows.length, max: 1, highlighted: best, text: scoreText };
  const charts = (['precision', 'recall', 'kappa'] as const).map((measure) => {
    const points = rows.flatMap((row, run) => {
      const value = row[measure];
      if (value === null) return [];
      const words = `threshold ${row.cells[0]}: ${measure} ${scoreText(value)}`;
      // Values below chance are drawn as zero; the table contains the exact number.
      return [{ run, value: Math.max(0, value), words }];
    });
    return renderChart(points, { ...scale, title: `${MEASURES[measure]} at the best threshold:` });
  });
  const table = renderTable(
    head,
    rows.map(({ cells }, index) => ({ cells, chosen: index === best })),
    { class: 'thresholds', label: 'Agreement at each threshold', figures: 0 },
  );
  return h(
    'section',
    { 'aria-label': 'Thresholds' },
    h('h2', 'Thresholds'),
    h('p', words),
    h('div', { class: 'charts' }, ...charts),
    h('div', { class: 'wide' }, table),
  );
}
