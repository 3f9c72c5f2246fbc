import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closest } from '../../core/text/closest.ts';
import { formatList } from '../../core/text/format.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { DOCS_FOLDER } from '../../node/paths.ts';
import { EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import type { Shell } from '../shell.ts';

/**
 * Prints a page of the documentation.
 *
 * @param name path of the page, or its last part, also as in a link: `guides/ci`, `ci`, `../guides/ci.md#a-cost-limit`
 * @throws UsageError if it names no page, or several
 */
export async function docs(name = 'README', { out }: Shell): Promise<ExitCode> {
  const [path = ''] = name.replace(/^(?:\.*\/)+|^docs\//g, '').split('#');
  const wanted = path.replace(/\.md$/, '');
  const files = await readdir(DOCS_FOLDER, { recursive: true });
  const pages = files
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -3).replaceAll('\\', '/'));
  const found = pages.filter((page) => page === wanted || page.endsWith(`/${wanted}`)).sort();
  const page = pages.includes(wanted) ? wanted : found[0];
  if (page === undefined) {
    const near = closest(
      wanted,
      pages.flatMap((one) => [one, one.split('/').at(-1) ?? '']),
    );
    const hint = near === undefined ? '' : ` Did you mean ${near}?`;
    throw new UsageError(
      `There is no page "${visibleLine(name, 80)}".${hint} Run turnlight docs for a list.`,
    );
  }
  if (page !== wanted && found.length > 1) {
    throw new UsageError(
      `"${wanted}" is the name of several pages. Pass ${formatList(found, 'or')}.`,
    );
  }
  const text = await readFile(join(DOCS_FOLDER, `${page}.md`), 'utf8');
  out.report(text.replaceAll(/<!--.*?-->\n+/g, ''));
  return EXIT.passed;
}
