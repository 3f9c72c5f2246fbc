import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actionsOf, applied } from '../../support/language/codeActions.ts';
import { documentOf } from '../../support/language/evalDocument.ts';
import type { Mistake } from './mistake.ts';
import { SYNTAX } from './syntax.ts';
import { VALUES } from './values.ts';

const ALL = [...SYNTAX, ...VALUES];

async function problemsOf(text: string, beside: Mistake['beside']) {
  const { suite } = await documentOf(text, beside);
  return suite.problems.map(
    ({ message, range: { start } }) => `${start.line + 1}:${start.character + 1} ${message}`,
  );
}

describe('a typical mistake', () => {
  for (const { name, before, beside, problems, fix } of ALL) {
    it(`is reported at its place, with what to do: ${name}`, async () => {
      assert.deepEqual(await problemsOf(before, beside), problems);
    });

    if (!fix) continue;
    it(`has a fix that leads to a valid file: ${name}`, async () => {
      const actions = await actionsOf(before, beside);
      const action = actions.find(({ title, kind }) => kind === 'quickfix' && title === fix.title);
      assert.ok(action, `offered: ${actions.map(({ title }) => title).join(' | ')}`);
      const { 'suite.eval.yaml': after = '' } = applied(before, action);
      const expected = fix.changes.reduce((text, change) => text.replace(...change), before);
      assert.notEqual(expected, before);
      assert.equal(after, expected);
      assert.deepEqual(await problemsOf(after, beside), []);
    });
  }
});

describe('the table of mistakes', () => {
  it('has at least 40 mistakes with different names, at least 35 with a fix', () => {
    assert.ok(new Set(ALL.map(({ name }) => name)).size === ALL.length && ALL.length >= 40);
    assert.ok(ALL.filter(({ fix }) => fix).length >= 35);
  });
});
