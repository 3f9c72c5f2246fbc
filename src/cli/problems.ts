import { groupBy, uniqueBy } from '../core/data/data.ts';
import { readable } from '../core/limits.ts';
import { labelProblemText } from '../core/presentation/words.ts';
import { isError, type Problem } from '../core/problem.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import { shownPath } from '../report/style.ts';
import type { LabelProblem } from '../store/labels.ts';
import type { Shell } from './shell.ts';

/** All problems, without duplicates if several suites include the same file. */
export function problemsOf(loaded: readonly LoadedSuite[]): Problem[] {
  const all = loaded.flatMap((one) => one.problems);
  return uniqueBy(all, ({ path, code, message, range }) =>
    JSON.stringify([path, code, message, range]),
  );
}

/**
 * Writes lines such as `evals/a.eval.yaml:7:5: error unknown-key There is no key "asserts". …`.
 * @param all whether to include problems of severity `information`
 * @returns whether any of them is an error
 */
export function reportProblems(
  loaded: readonly LoadedSuite[],
  folder: string,
  write: (text: string) => void,
  all = false,
): boolean {
  const problems = problemsOf(loaded).filter(({ severity }) => all || severity !== 'information');
  for (const { path, range, severity, code, message } of problems) {
    const { line, character } = range.start;
    const place = `${shownPath(path, folder)}:${line + 1}:${character + 1}`;
    write(`${place}: ${severity} ${code} ${visibleLine(message)}\n`);
  }
  return problems.some(isError);
}

/** Maximum number of locations to list in a warning. */
const MAX_PLACES = 10;

/** Combines identical warnings about a case's conversations. Errors stay separate, because each one must be fixed. */
export function groupWarnings(problems: readonly Problem[], folder: string): Problem[] {
  const groups = groupBy(problems, (one) =>
    isError(one) ? one : JSON.stringify([one.code, one.message]),
  );
  return [...groups.values()].map((same) => {
    const [first] = same;
    if (same.length === 1) return first;
    const isOneFile = same.every(({ path }) => path === first.path);
    const places = same.slice(0, MAX_PLACES).map(({ path, range }) => {
      const line = range.start.line + 1;
      return isOneFile ? `${line}` : `${shownPath(path, folder)}:${line}`;
    });
    const more = same.length - places.length;
    const where = `${isOneFile ? 'lines ' : ''}${places.join(', ')}`;
    const rest = more > 0 ? ` and ${readable(more)} more` : '';
    const message = `${first.message} This applies to ${readable(same.length)} conversations: ${where}${rest}.`;
    return { ...first, message };
  });
}

export const NO_LABELS =
  'These files have no labels. To create some, run "Turnlight: Label Conversations" in VS Code. Labels are stored in NAME.labels/PERSON.jsonl next to NAME.eval.yaml.';

/** Writes lines such as `shop.labels/ann.jsonl:3: …`. @returns whether there are any problems */
export function reportLabelProblems(
  problems: readonly LabelProblem[],
  { err, folder }: Pick<Shell, 'err' | 'folder'>,
): boolean {
  for (const one of problems) {
    err.write(`${labelProblemText(shownPath(one.path, folder), one)}\n`);
  }
  return problems.length > 0;
}
