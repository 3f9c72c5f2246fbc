import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { globSync } from 'tinyglobby';
import manifest from '../../../package.json' with { type: 'json' };
import { ROOT } from '../../../scripts/docs/pages.ts';

it('every script that a page names is one of package.json', () => {
  const paths = globSync(['*.md', 'bench/*.md', 'docs/**/*.md'], { cwd: ROOT });
  const named = paths.flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    return [...text.matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)].map(([, name = '']) => name);
  });
  assert.ok(named.includes('test:attack') && named.includes('bench:language'));
  assert.deepEqual(
    [...new Set(named)].filter((name) => !(name in manifest.scripts)),
    [],
  );
});

it('every source file that a page names exists', () => {
  const files = globSync(['{bench,examples,scripts,src,test,types,webview}/**'], { cwd: ROOT });
  const pages = globSync(['*.md', '{bench,docs,examples,test}/**/*.md'], {
    cwd: ROOT,
    ignore: ['CHANGELOG.md'],
  });
  const named = pages.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    return [...text.matchAll(/`([\w./-]+\/[\w.-]+\.(?:ts|mjs))`/g)].map(([, path = '']) => path);
  });
  assert.ok(named.includes('core/scrubber.ts'));
  const missing = named.filter((path) => !files.some((file) => `/${file}`.endsWith(`/${path}`)));
  assert.deepEqual([...new Set(missing)], []);
});
