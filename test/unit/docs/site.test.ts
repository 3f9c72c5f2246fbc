import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { describe, it } from 'node:test';
import { siteFiles } from '../../../scripts/docs/site.ts';

const files = siteFiles();
const pages = [...files].filter(([path]) => path.endsWith('.html'));

/** The links on a page as paths in the site, each with its fragment. External links are left out. */
function linksOf([page, html]: readonly [string, unknown]): { path: string; fragment?: string }[] {
  const written = [...String(html).matchAll(/(?:href|src)="([^"]*)"/g)].map(([, to = '']) => to);
  return written
    .filter((to) => !/^\w+:/.test(to))
    .map((to) => {
      const [path = '', fragment] = to.split('#');
      const target = path === '' ? page : posix.join(posix.dirname(page), decodeURIComponent(path));
      return { path: target, ...(fragment !== undefined && { fragment }) };
    });
}

describe('the site', () => {
  it('has no link that leads nowhere', () => {
    const followed = pages.flatMap((page) =>
      linksOf(page).map((link) => ({ on: page[0], ...link })),
    );
    assert.ok(followed.length > 1000, String(followed.length));
    const dead = followed.filter(({ path, fragment }) => {
      const target = files.get(path);
      if (target === undefined) return true;
      return fragment !== undefined && !String(target).includes(` id="${fragment}"`);
    });
    assert.deepEqual(dead, []);
  });

  it('leads to every page from the first', () => {
    const reached = new Set(['index.html']);
    for (const path of reached) {
      const html = files.get(path) ?? '';
      if (path.endsWith('.html')) for (const link of linksOf([path, html])) reached.add(link.path);
    }
    assert.deepEqual(
      pages.map(([path]) => path).filter((path) => !reached.has(path)),
      [],
    );
  });

  it('shows text as text: no comment, no tag of a page becomes markup', () => {
    for (const [path, html] of pages) {
      assert.doesNotMatch(String(html), /<!--|&lt;!--/, path);
      assert.doesNotMatch(String(html), /<script/, path);
    }
  });
});
