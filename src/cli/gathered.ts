import { groupBy } from '../core/data/data.ts';
import { readable } from '../core/limits.ts';
import { isError, type Problem } from '../core/problem.ts';
import { shownPath } from '../report/shownPath.ts';

/** Of as many places a warning names the lines. */
const NAMED = 10;

/**
 * One warning for all conversations of a case that have the same one, with their number and the first places.
 * Errors are told one by one: each is to be mended.
 */
export function gathered(problems: readonly Problem[], folder: string): Problem[] {
  const groups = groupBy(problems, (one) =>
    isError(one) ? one : JSON.stringify([one.code, one.message]),
  );
  return [...groups.values()].map((same) => {
    const [first] = same;
    if (same.length === 1) return first;
    const isOneFile = same.every(({ path }) => path === first.path);
    const places = same.slice(0, NAMED).map(({ path, range }) => {
      const line = range.start.line + 1;
      return isOneFile ? `${line}` : `${shownPath(path, folder)}:${line}`;
    });
    const more = same.length - places.length;
    const where = `${isOneFile ? 'lines ' : ''}${places.join(', ')}`;
    const rest = more > 0 ? ` and ${readable(more)} more` : '';
    const message = `${first.message} So in ${readable(same.length)} conversations: ${where}${rest}.`;
    return { ...first, message };
  });
}
