import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { globSync } from 'tinyglobby';
import { assertionTypes } from '../../src/assertions/registry.ts';
import { typeComparisons } from '../support/typeComparisons.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Still checks by type name which keys refer to something. The fields should declare this instead. */
const UNDECLARED = ['src/language/collectNames.ts'];

const NAMES = assertionTypes.map(({ type }) => type);

describe('assertion types are told apart by what they declare', () => {
  for (const file of globSync('{src,webview,scripts}/**/*.ts', { cwd: ROOT })) {
    if (file.startsWith('src/assertions/')) continue;
    it(`in ${file}, not by their names`, () => {
      const found = typeComparisons(readFileSync(resolve(ROOT, file), 'utf8'), NAMES);
      if (UNDECLARED.includes(file)) assert.notDeepEqual(found, [], 'Take it off the list.');
      else assert.deepEqual(found, [], 'Declare it in the type (src/assertions/contract.ts).');
    });
  }

  const told = [
    "if (type === 'llm-judge') return;",
    "return assertion.type !== 'script' && rest;",
    "if ('similar' === given.type) return;",
    "switch (given.type) {\n  case 'criterion':\n}",
    "switch (kind) {\n  case 'g-eval':\n}",
    "const ASKING = ['groundedness', 'script'];",
    "if (['criterion'].includes(type)) return;",
    "const one = kind === 'decision-graph';",
    "switch (type) {\n  case 'a':\n    return 1;\n  case 'script':\n}",
  ];
  for (const source of told) {
    it(`is told of ${JSON.stringify(source)}`, () => {
      assert.equal(typeComparisons(source, NAMES).length, 1);
    });
  }

  const left = [
    "if (name.kind === 'script') return;",
    "switch (kind) {\n  case 'script':\n}",
    "const FILES = ['prompt', 'script'];",
    "const JUDGE = { make_judge: 'llm-judge' };",
    "// type === 'llm-judge' is not how",
    "/* case 'criterion': */",
    "if (type === 'array') return;",
    "if (end.stopped === 'max-cost') return;",
  ];
  for (const source of left) {
    it(`is not told of ${JSON.stringify(source)}`, () => {
      assert.deepEqual(typeComparisons(source, NAMES), []);
    });
  }
});
