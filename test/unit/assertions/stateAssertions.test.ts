import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stateAssertions } from '../../../src/assertions/stateAssertions.ts';
import type { StatedAssertion } from '../../../src/core/statedAssertion.ts';
import { load, suiteWith } from '../../support/evalFiles.ts';

const TALK = 'transcript: [{user: Hi}, {assistant: Hello}]';

async function stated(yaml: string, beside: Record<string, string> = {}) {
  const { suite, problems } = await load(suiteWith(`${TALK}\nassert:\n${yaml}`), beside);
  const [first] = suite?.cases.flatMap(stateAssertions) ?? [];
  assert.ok(first, problems.map(({ message }) => message).join('\n'));
  return first;
}

const keys = (one: StatedAssertion | undefined) => one?.keys.map(({ key, text }) => [key, text]);

describe('an assertion as written in its file', () => {
  it('keeps the whole criterion, and names it by its first words', async () => {
    const criterion = 'It names the order in each reply, and never one that the user did not name.';
    const one = await stated(`  - ${criterion}`);
    assert.match(one.name, /…$/);
    assert.deepEqual(keys(one), [['criterion', criterion]]);
    assert.equal(one.line, 5);
  });

  it("keeps the type's summary and its keys in order, and lists line by line", async () => {
    const one = await stated('  - {type: guidelines, guidelines: [Be kind., Be brief.]}');
    assert.deepEqual(keys(one), [['guidelines', '- Be kind.\n- Be brief.']]);
    assert.match(one.summary, /follow each of these rules/);
    const called = await stated('  - {type: tool-called, name: find, args: {id: 7}, times: 2}');
    assert.deepEqual(keys(called), [
      ['name', 'find'],
      ['args', '{"id":7}'],
      ['times', '2'],
    ]);
  });

  it('includes `at` and `negate`', async () => {
    const one = await stated('  - {type: contains, value: no, at: 1-2, negate: true}');
    assert.deepEqual(keys(one), [
      ['value', 'no'],
      ['negate', 'true'],
      ['at', '1-2'],
    ]);
  });

  it("names a script by its path from the file, and holds a prompt's text", async () => {
    const script = await stated('  - {type: script, path: ./checks/a.mjs}', { 'checks/a.mjs': '' });
    assert.deepEqual(keys(script), [['path', './checks/a.mjs']]);
    const prompt = await stated('  - {type: llm-judge, prompt: ./tone.md}', {
      'tone.md': 'How warm is {{conversation}}?\n',
    });
    assert.deepEqual(keys(prompt), [
      ['prompt', './tone.md'],
      ['prompt text', 'How warm is {{conversation}}?'],
    ]);
  });

  it('states the assertions of a group by themselves', async () => {
    const one = await stated(
      '  - type: all-of\n    assert: [Be kind., {type: contains, value: x}]',
    );
    assert.deepEqual(keys(one), []);
    assert.deepEqual(one.nested.map(keys), [[['criterion', 'Be kind.']], [['value', 'x']]]);
  });
});
