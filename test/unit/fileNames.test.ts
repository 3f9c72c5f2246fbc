import assert from 'node:assert/strict';
import { basename, resolve } from 'node:path';
import { it } from 'node:test';
import { globSync } from 'tinyglobby';

const ROOT = resolve(import.meta.dirname, '../..');

/** `json-schema.ts` and `jsonSchema.ts` look like the same name when searching for a file. */
it('no two source files are named alike but for hyphens and capitals', () => {
  const folders = '{bench,examples,scripts,src,test,types,webview}';
  const paths = globSync(`${folders}/**/*.{ts,mjs,md,json,yaml}`, { cwd: ROOT });
  const names = [...new Set(paths.map((path) => basename(path)))];
  const spelling = (name: string) => name.toLowerCase().replace(/[-_]/g, '');
  const alike = names.filter((name) =>
    names.some((other) => other !== name && spelling(other) === spelling(name)),
  );
  assert.deepEqual(alike, []);
});
