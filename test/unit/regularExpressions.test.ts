import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { it } from 'node:test';
import { tokenizer } from 'acorn';
import { transformSync } from 'esbuild';
import { analyse } from 'scslre';
import { globSync } from 'tinyglobby';
import { isMapping } from '../../src/core/data/data.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Expressions that look slow but aren't, by file. */
const FAST: Readonly<Record<string, string>> = {
  'src/core/limits.ts': 'its text is a number',
  'src/evalfile/transcript.ts': 'it always matches where it begins',
  'src/interop/importers/promptfoo.ts': 'it always matches after the colon',
  'src/language/features/formatting.ts': 'its text has at most 500 characters',
  'src/language/hover/symbolMarkdown.ts': 'it always matches where it begins',
  'src/models/registry.ts': 'it always matches after the first colon',
};

interface Literal {
  readonly source: string;
  readonly flags: string;
}

function literalsIn(file: string): Literal[] {
  const { code } = transformSync(readFileSync(file, 'utf8'), { loader: 'ts' });
  const tokens = [...tokenizer(code, { ecmaVersion: 'latest', sourceType: 'module' })];
  // The types of acorn lack `value`.
  const values = tokens.map((token): unknown => Object(token).value);
  return values.filter(isMapping).map(({ pattern, flags }) => {
    assert.ok(typeof pattern === 'string' && typeof flags === 'string');
    return { source: pattern, flags };
  });
}

function isSlow(literal: Literal): boolean {
  return analyse(literal).reports.length > 0;
}

it('no regular expression takes quadratic or exponential time', () => {
  const files = globSync(['src/**/*.ts', 'webview/**/*.ts'], { cwd: ROOT, absolute: true });
  const all = files.flatMap((file) =>
    literalsIn(file).map((literal) => ({ path: relative(ROOT, file), literal })),
  );
  assert.ok(all.length > 400);
  const slow = all.filter(({ literal }) => isSlow(literal));
  const unknown = slow.filter(({ path }) => FAST[path] === undefined);
  assert.deepEqual(unknown, []);
  const unused = Object.keys(FAST).filter((path) => slow.every((one) => one.path !== path));
  assert.deepEqual(unused, []);
  assert.ok(isSlow({ source: String.raw`\s*\[.*\]$`, flags: '' }));
});
