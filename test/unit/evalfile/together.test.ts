import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load, placed } from '../../support/evalFiles.ts';

const CASE = 'id: a, transcript: [{user: Hi}, {assistant: Hello}]';
const ASKING = 'assert: [{type: safety}, It is polite.]';

async function together(top: string, keys = ASKING): Promise<(boolean | undefined)[]> {
  const loaded = await load(`${top}cases: [{${CASE}, ${keys}}]\n`);
  assert.deepEqual(placed(loaded), []);
  return loaded.suite?.cases[0]?.assertions.map((one) => one.together) ?? [];
}

const JUDGE = 'judge: {provider: openai, model: m, together: true}\n';

describe('together', () => {
  for (const [where, top, keys, is] of [
    ['nowhere', 'judge: openai:m\n', ASKING, undefined],
    ['in the file', 'judge: openai:m\ntogether: true\n', ASKING, true],
    ['in the case', 'judge: openai:m\n', `together: true, ${ASKING}`, true],
    ['at the judge', JUDGE, ASKING, true],
    [
      'at a named judge',
      'models: {m: {provider: openai, model: m, together: true}}\njudge: m\n',
      ASKING,
      true,
    ],
    [
      'in the file, but not in the case',
      'judge: openai:m\ntogether: true\n',
      `together: false, ${ASKING}`,
      undefined,
    ],
    ['at the judge, but not in the file', `${JUDGE}together: false\n`, ASKING, undefined],
  ] as const) {
    it(`counts for its assertions: ${where}`, async () => {
      assert.deepEqual(await together(top, keys), [is, is]);
    });
  }

  it('leaves apart what is asked turn by turn or in steps, and what asks nobody', async () => {
    const keys =
      'assert: [{type: safety, granularity: turn}, {type: g-eval, criteria: x}, {type: contains, value: H}, {type: safety, name: s}]';
    const found = await together('judge: openai:m\ntogether: true\n', keys);
    assert.deepEqual(found, [undefined, undefined, undefined, true]);
  });

  it('counts for those in groups as well', async () => {
    const loaded = await load(
      `judge: openai:m\ntogether: true\ncases: [{${CASE}, assert: [{type: all-of, assert: [{type: safety}]}]}]\n`,
    );
    const [group] = loaded.suite?.cases[0]?.assertions ?? [];
    assert.equal(group?.nested?.[0]?.assertion.together, true);
  });
});
