import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CHECKOUT } from '../../support/host/install.ts';

const text = readFileSync(join(CHECKOUT, 'SECURITY.md'), 'utf8');
const promised = text.split('\n## What is promised\n')[1]?.split('\n## ')[0] ?? '';
const promises = promised
  .split('\n')
  .filter((line) => line.startsWith('- ') || line.includes('`test/'));

/** The titles of the tests in a file, as written in the source code. */
function titlesIn(path: string): string[] {
  const code = readFileSync(join(CHECKOUT, path), 'utf8');
  return [...code.matchAll(/\b(?:it|test)\(\s*(['"`])(.+?)\1,/g)].map(([, , title = '']) => title);
}

describe('a promise of SECURITY.md', () => {
  it('is one of several', () => assert.ok(promises.length > 20));

  for (const promise of promises) {
    it(`names a test that there is: ${promise}`, () => {
      const [, path, title] =
        /[:|] `(test\/[\w./-]+\.test\.ts)`, "(.+)"(?:\.| \|)$/.exec(promise) ?? [];
      assert.ok(path !== undefined && title !== undefined, 'no test is named');
      assert.ok(existsSync(join(CHECKOUT, path)), `there is no ${path}`);
      assert.ok(
        titlesIn(path).some((one) => one.includes(title)),
        `${path} has no such test`,
      );
    });
  }
});
