import { groupBy } from '../src/core/data/data.ts';
import { failingCases } from '../src/core/failingCases.ts';
import { executionKey } from '../src/core/identity.ts';
import { caseScoreText } from '../src/core/presentation/score.ts';
import { executionTitle, STATUS_WORDS } from '../src/core/presentation/words.ts';
import { textFinder } from '../src/core/record/searchedText.ts';
import { isFailure } from '../src/core/scoring.ts';
import { caseCountText } from '../src/core/text/format.ts';
import { statusSchema } from '../src/core/verdict.ts';
import { type ReportPage, reportPageSchema, TABLE_HASH } from '../src/protocol/reportPage.ts';
import type { FromResults, ToResults } from '../src/protocol/resultsProtocol.ts';
import type { conversationProtocol, Snapshot } from '../src/protocol/viewProtocol.ts';
import { h } from './h.ts';
import type { Host } from './host.ts';
import { badge } from './render/status.ts';
import { ResultsView } from './results/view.ts';
import { ConversationView } from './view.ts';

/** Number of executions to search in one batch. */
const BATCH_SIZE = 250;

/** There is no editor, so nothing can be opened and no state is saved. */
const NO_EDITOR = { editor: false, keep: () => {} };

/**
 * A run as a standalone page: a list of cases, and the table or the conversation that the URL's fragment (such as `#3`)
 * selects. The default is the first failure.
 *
 * @param json the run, as embedded in the page
 */
export function showReport(root: HTMLElement, json: string): void {
  const page = reportPageSchema.parse(JSON.parse(json));
  const { executions } = page;
  const list = document.getElementById('cases');
  const conversation = h('div');
  const table = h('div');
  root.append(conversation, table);
  const refs = executions.map(({ state: { file, id, variant, repetition }, status }) => ({
    ...{ suite: file, id, variant, repetition },
    status: status ?? 'skipped',
  }));
  const failing = (number: number) => {
    const ref = refs[number - 1];
    return ref && failingCases(refs, ref);
  };
  const shown = () => {
    const named = Number(location.hash.slice(1));
    if (executions[named - 1]) return named;
    const failed = executions.findIndex(({ status }) => status && isFailure({ status }));
    return failed < 0 ? 1 : 1 + failed;
  };
  const go = (number: number) => {
    if (number > 0) location.hash = `#${number}`;
  };
  const host: Host<typeof conversationProtocol> = {
    ...NO_EDITOR,
    post(message) {
      const ref = refs[shown() - 1];
      if (message.kind === 'show-repetition') {
        const { repetition } = message;
        const same = ({ suite, id, variant }: (typeof refs)[number]) =>
          suite === ref?.suite && id === ref.id && variant === ref.variant;
        go(1 + refs.findIndex((one) => same(one) && one.repetition === repetition));
      }
      if (message.kind !== 'show-failing') return;
      const found = failing(shown())?.neighbor(message.step);
      go(1 + refs.findIndex((one) => found && executionKey(one) === executionKey(found)));
    },
  };
  const images = page.images.map(({ digest, source }) => [digest, source] as const);
  const view = new ConversationView(conversation, host, images);
  const results = resultsOf(page, table, go);
  const show = () => {
    const isTable = location.hash === TABLE_HASH;
    conversation.hidden = isTable;
    table.hidden = !isTable;
    document.documentElement.toggleAttribute('data-table', isTable);
    const current = isTable ? TABLE_HASH : `#${shown()}`;
    for (const link of list?.querySelectorAll('a') ?? []) {
      if (link.getAttribute('href') === current) {
        link.setAttribute('aria-current', 'page');
        link.scrollIntoView({ block: 'nearest' });
      } else link.removeAttribute('aria-current');
    }
    if (isTable) {
      document.title = 'Results';
      results();
      return;
    }
    const number = shown();
    const snapshot = executions[number - 1];
    if (!snapshot) return;
    document.title = nameOf(snapshot);
    const { count, at } = failing(number) ?? {};
    view.show({
      ...snapshot,
      ...(count !== undefined && { failing: { count, ...(at !== undefined && { at }) } }),
    });
  };
  list?.replaceChildren(...renderCases(page));
  window.addEventListener('hashchange', () => {
    show();
    window.scrollTo(0, 0);
  });
  show();
}

/** The execution to open for a row: the first one that failed, or else the first one. */
function executionToOpen({ executions, rows }: ReportPage, row: number): number {
  const own = [...rows.keys()].filter((index) => rows[index] === row);
  const failing = own.find((index) => {
    const status = executions[index]?.status;
    return status && isFailure({ status });
  });
  return failing ?? own[0] ?? -1;
}

/** Creates the run's table. @returns a function that shows it */
function resultsOf(page: ReportPage, root: HTMLElement, go: (number: number) => void): () => void {
  const search = searchPage(page, (message) => view.found(message));
  const view: ResultsView = new ResultsView(root, {
    ...NO_EDITOR,
    post(message) {
      if (message.kind === 'open') go(1 + executionToOpen(page, message.case));
      else if (message.kind === 'search') search(message);
    },
  });
  const { table, started, variants } = page;
  const facts = started === undefined ? [] : [new Date(started).toLocaleString()];
  let isShown = false;
  return () => {
    if (!isShown) {
      view.show({
        ...{ records: ['report'], title: 'Results', facts, variants, table },
        ...{ phase: 'over', generation: 0, problems: [] },
      });
    }
    isShown = true;
    view.focus();
  };
}

/** Searches the page's own data. A new search stops the previous one. */
function searchPage(
  { executions, rows, table }: ReportPage,
  onFound: (found: Extract<ToResults, { kind: 'found' }>) => void,
): (search: Extract<FromResults, { kind: 'search' }>) => void {
  let latest = 0;
  return ({ search, text, from }) => {
    latest = search;
    if (text.trim() === '') return;
    const matches = textFinder(text.trim());
    const step = (begin: number) => {
      if (search !== latest) return;
      const end = Math.min(begin + BATCH_SIZE, executions.length);
      const cases: number[] = [];
      for (let at = begin; at < end; at += 1) {
        const row = rows[at] ?? -1;
        const { title, tags } = table.cases[row] ?? { title: '', tags: [] };
        const names = tags.map((tag) => table.tags[tag]);
        if (matches([title, names, executions[at]])) cases.push(row);
      }
      const done = end === executions.length;
      onFound({ kind: 'found', search, cases, looked: end, done });
      if (!done) setTimeout(() => step(end));
    };
    setTimeout(() => step(from));
  };
}

/** Links to the executions by suite; the URLs are `#1`, `#2`, and so on. */
function renderCases({ executions, started, sums, variants, table }: ReportPage): HTMLElement[] {
  const numbered = executions.map((snapshot, index) => ({ snapshot, number: index + 1 }));
  const suites = groupBy(numbered, ({ snapshot }) => snapshot.state.file);
  return [
    h('p', { class: 'muted' }, countsOf(table.cases, executions)),
    h(
      'details',
      h(
        'summary',
        started === undefined ? 'Summary' : `Run of ${new Date(started).toLocaleString()}`,
      ),
      h(
        'ul',
        { class: 'muted' },
        ...[...variants.flatMap(({ sentences }) => sentences), ...sums].map((line) =>
          h('li', line),
        ),
      ),
    ),
    ...(executions.length > 0 ? [h('a', { href: TABLE_HASH }, 'All results')] : []),
    ...failuresOnly(executions),
    ...[...suites.values()].flatMap((suite) => [
      h('h2', { title: suite[0].snapshot.state.file }, suite[0].snapshot.suiteName),
      h('ul', ...suite.map(item)),
    ]),
  ];
}

/** A filter for the list, if the list contains both failed and other cases. */
function failuresOnly(executions: readonly Snapshot[]): HTMLElement[] {
  if (executions.every(failed) || !executions.some(failed)) return [];
  return [h('label', h('input', { type: 'checkbox', id: 'only-failures' }), 'Failures only')];
}

function item({ snapshot, number }: { snapshot: Snapshot; number: number }): HTMLElement {
  const { status } = snapshot;
  const link = h(
    'a',
    { class: 'case', href: `#${number}` },
    h('span', { class: 'name' }, nameOf(snapshot)),
    status && badge(status, caseScoreText(snapshot)),
  );
  return h('li', { class: failed(snapshot) ? 'failed' : 'other' }, link);
}

function failed({ status }: Snapshot): boolean {
  return status !== undefined && isFailure({ status });
}

/** `2 passed, 1 failed`, or `3 cases, 9 conversations: …` if cases are repeated. */
function countsOf(
  cases: ReportPage['table']['cases'],
  executions: ReportPage['executions'],
): string {
  if (executions.length === 0) return 'No case finished.';
  const counts = statusSchema.options
    .map((one) => ({ one, count: cases.filter(({ status }) => status === one).length }))
    .filter(({ count }) => count > 0)
    .map(({ one, count }) => `${count} ${STATUS_WORDS[one]}`)
    .join(', ');
  if (cases.length === executions.length) return counts;
  const ran = executions.filter(({ status }) => status !== 'skipped');
  return `${caseCountText(cases.length, ran.length)}: ${counts}`;
}

export function nameOf({ state, repetitions }: Snapshot): string {
  return executionTitle({ ...state, repetitions });
}
