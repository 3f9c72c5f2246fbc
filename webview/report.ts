import { executionKey, failingCases } from '../src/core/identity.ts';
import { textFinder } from '../src/core/record/searchedText.ts';
import { isFailure } from '../src/core/verdict.ts';
import { type ReportPage, reportPageSchema, TABLE_HASH } from '../src/protocol/reportPage.ts';
import type { FromResults, ToResults } from '../src/protocol/resultsProtocol.ts';
import { h } from './h.ts';
import { nameOf, renderCases } from './render/cases.ts';
import { ResultsView } from './results/view.ts';
import { ConversationView } from './view.ts';

/** Executions that are searched at once. */
const STEP = 250;

/** Without an editor nothing opens, and nothing is kept. */
const ALONE = { editor: false, keep: () => {} };

/**
 * A run on a page of its own: a list of the cases, and what the address names: the table, or the conversation of a
 * case, `#3`; of the first that did not pass where it names none.
 *
 * @param json the run, as the page holds it
 */
export function showReport(root: HTMLElement, json: string): void {
  const page = reportPageSchema.parse(JSON.parse(json));
  const { executions } = page;
  const list = document.getElementById('cases');
  const conversation = h('div', {});
  const table = h('div', {});
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
  const view = new ConversationView(conversation, {
    ...ALONE,
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
  });
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

/** The execution that opens a row: the first that failed, else the first. */
function opening({ executions, rows }: ReportPage, row: number): number {
  const own = [...rows.keys()].filter((index) => rows[index] === row);
  const failing = own.find((index) => {
    const status = executions[index]?.status;
    return status && isFailure({ status });
  });
  return failing ?? own[0] ?? -1;
}

/** The table of the run. @returns what shows it; its size is known only then */
function resultsOf(page: ReportPage, root: HTMLElement, go: (number: number) => void): () => void {
  const search = searchPage(page, (message) => view.found(message));
  const view: ResultsView = new ResultsView(root, {
    ...ALONE,
    post(message) {
      if (message.kind === 'open') go(1 + opening(page, message.case));
      else if (message.kind === 'search') search(message);
    },
  });
  const { table, started } = page;
  const facts = started === undefined ? [] : [new Date(started).toLocaleString()];
  let isShown = false;
  return () => {
    if (!isShown) {
      view.show({
        ...{ records: ['report'], title: 'Results', facts, table },
        ...{ phase: 'over', generation: 0, problems: [] },
      });
    }
    isShown = true;
    view.focus();
  };
}

/** Looks for a text where the page holds all that was said; another search ends the one before. */
function searchPage(
  { executions, rows, table }: ReportPage,
  onFound: (found: Extract<ToResults, { kind: 'found' }>) => void,
): (search: Extract<FromResults, { kind: 'search' }>) => void {
  let latest = 0;
  return ({ search, text, from }) => {
    latest = search;
    if (text.trim() === '') return;
    const holds = textFinder(text.trim());
    const step = (begin: number) => {
      if (search !== latest) return;
      const end = Math.min(begin + STEP, executions.length);
      const cases: number[] = [];
      for (let at = begin; at < end; at += 1) {
        const row = rows[at] ?? -1;
        const { title, tags } = table.cases[row] ?? { title: '', tags: [] };
        const names = tags.map((tag) => table.tags[tag]);
        if (holds([title, names, executions[at]])) cases.push(row);
      }
      const done = end === executions.length;
      onFound({ kind: 'found', search, cases, looked: end, done });
      if (!done) setTimeout(() => step(end));
    };
    setTimeout(() => step(from));
  };
}
