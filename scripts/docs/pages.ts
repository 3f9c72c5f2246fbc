import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import { assertionTypes } from '../../src/assertions/registry.ts';
import { pageOf } from './page.ts';
import { withParts } from './parts.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

/** The folder of the generated pages, relative to the root of the checkout. */
export const FOLDER = 'docs/assertions';

/** Hand-written pages, relative to the root of the checkout. */
export function writtenPages(): string[] {
  const generated = assertionTypes.map(({ type }) => `${FOLDER}/${type}.md`);
  const pages = globSync(['*.md', 'docs/**/*.md', 'examples/README.md', 'bench/README.md'], {
    cwd: ROOT,
  });
  return pages.filter((page) => !generated.includes(page)).sort();
}

/** The files that `npm run docs` writes: contents by path, relative to the root of the checkout. */
export function docsFiles(): ReadonlyMap<string, string> {
  const ofTypes = assertionTypes.map(
    (type) => [`${FOLDER}/${type.type}.md`, pageOf(type)] as const,
  );
  const written = writtenPages().map(
    (page) => [page, withParts(readFileSync(join(ROOT, page), 'utf8'))] as const,
  );
  return new Map([...ofTypes, ...written]);
}
