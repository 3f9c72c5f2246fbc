import { textFinder } from '../../src/core/record/searchedText.ts';
import type { ReportPage } from '../../src/protocol/reportPage.ts';
import type { FromResults, ToResults } from '../../src/protocol/resultsProtocol.ts';

type Search = Extract<FromResults, { kind: 'search' }>;
type Found = Extract<ToResults, { kind: 'found' }>;

/** Executions that are looked through at once. */
const STEP = 250;

/** Looks for a text where the page holds all that was said; another search ends the one before. */
export function searchPage(
  { executions, rows, table }: ReportPage,
  onFound: (found: Found) => void,
): (search: Search) => void {
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
