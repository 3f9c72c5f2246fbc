import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { turnlight } from '../../support/commandLine.ts';
import { asked, askedBot, ids, recordsOf, suiteOf } from '../../support/resuming.ts';
import { workspaceWith } from '../../support/runs.ts';

const CASES = [
  '  - {id: a, turns: [x, y], assert: [{type: contains, value: x}]}\n',
  '  - {id: b, turns: [z], assert: [{type: contains, value: z}]}\n',
  '  - {id: down, turns: [x], assert: [{type: contains, value: x}]}\n',
  '  - {id: gone, turns: [x], assert: [{type: contains, value: x}]}\n',
];

const EDITED = [
  '  - {id: a, turns: [{user: x, assert: [{type: contains, value: x}]}, y], assert: [{type: contains, value: y, at: last}]}\n',
  '  - {id: b, turns: [z], assert: [{type: contains, value: q}, {type: max-tokens, max: 100}]}\n',
  '  - {id: down, turns: [x], assert: [{type: contains, value: y}]}\n',
  '  - {id: new, turns: [x], assert: [{type: contains, value: x}]}\n',
];

describe('turnlight judge', () => {
  it('judges stored conversations with the current file, without calling the target', async (t) => {
    const folder = await workspaceWith(t, {
      'bot.mjs': askedBot({ failing: 'down', usage: true }),
      'a.eval.yaml': suiteOf(CASES),
    });
    await turnlight(folder, ['run', 'a.eval.yaml']);
    const [first = ''] = await recordsOf(folder);
    const before = await readRecord(first);
    await writeFile(join(folder, 'asked.txt'), '');
    await writeFile(join(folder, 'a.eval.yaml'), suiteOf(EDITED));
    const { code, out } = await turnlight(folder, ['judge']);
    assert.equal(code, 1);
    assert.match(out, new RegExp(`Judging 3 conversations of run ${before.run?.id} again\\.`));
    assert.match(out, /No longer in the files: 1 case\./);
    assert.deepEqual(await asked(folder), []);
    const [, second = ''] = await recordsOf(folder);
    const after = await readRecord(second);
    assert.equal(after.run?.judged_from, before.run?.id);
    assert.deepEqual(ids(after.cases), ['a', 'b', 'down']);
    const [a, b, down] = [...after.cases].sort((x, y) => (x.id < y.id ? -1 : 1));
    assert.deepEqual(
      a?.verdicts.map(({ status }) => status),
      ['pass', 'pass'],
    );
    assert.deepEqual(
      b?.verdicts.map(({ status }) => status),
      ['fail', 'pass'],
    );
    assert.equal(down?.status, 'error');
    assert.equal(down?.reason, before.cases.find(({ id }) => id === 'down')?.reason);
    assert.deepEqual(a?.conversation, before.cases.find(({ id }) => id === 'a')?.conversation);
    assert.equal(a?.input_hash, before.cases.find(({ id }) => id === 'a')?.input_hash);
    assert.equal(a?.usage.calls, 0);
  });

  it('judges recorded conversations, and one case of a given run', async (t) => {
    const said = (value: string) =>
      `cases:\n  - {id: a, transcript: [{user: Hi}, {assistant: x}], assert: [{type: contains, value: ${value}}]}\n  - {id: b, transcript: [{user: Hi}, {assistant: x}], assert: [{type: contains, value: x}]}\n`;
    const folder = await workspaceWith(t, { 'a.eval.yaml': said('x') });
    await turnlight(folder, ['run', 'a.eval.yaml']);
    const [record = ''] = await recordsOf(folder);
    await writeFile(join(folder, 'a.eval.yaml'), said('y'));
    const { code, out } = await turnlight(folder, ['judge', record, '--case', 'a']);
    assert.equal(code, 1);
    assert.match(out, /Cases: 0 passed, 1 failed/);
    const again = await turnlight(folder, ['run', '--resume', (await recordsOf(folder))[1] ?? '']);
    assert.equal(again.code, 3);
    assert.match(again.err, /Repeat it with turnlight judge/);
  });

  for (const [change, turns] of Object.entries({
    added: 'x, {user: y, assert: [{type: contains, value: NOPE}]}',
    inserted: 'y, {user: x, assert: [{type: contains, value: x}]}',
    changed: '{user: y, assert: [{type: contains, value: x}]}',
    removed: '',
  })) {
    it(`does not judge a conversation without a turn that was ${change}`, async (t) => {
      const one = (text: string) =>
        `  - {id: a, turns: [${text}], assert: [{type: contains, value: x, at: 2}]}\n`;
      const now = turns === '' ? 'x' : turns;
      const folder = await workspaceWith(t, {
        'bot.mjs': askedBot(),
        'a.eval.yaml': suiteOf([one(turns === '' ? 'x, y' : 'x')]),
      });
      assert.equal((await turnlight(folder, ['run', 'a.eval.yaml'])).code, 0);
      await writeFile(join(folder, 'a.eval.yaml'), suiteOf([one(now)]));
      const { code, out } = await turnlight(folder, ['judge']);
      assert.match(out, /differ from those of its recorded conversation\. Run the case again\./);
      assert.equal(code, 2);
    });
  }

  for (const [what, before, after] of [
    [
      'transcript',
      'transcript: [{user: Hi}, {assistant: xy}]',
      'transcript: [{user: Hi}, {assistant: zx}]',
    ],
    [
      'history',
      'history: [{user: Hi}, {assistant: Hello}], turns: [x]',
      'history: [{user: Hi}, {assistant: Bye}], turns: [x]',
    ],
    ['kind', 'turns: [x]', 'transcript: [{user: x}, {assistant: x}]'],
  ] as const) {
    it(`does not judge a conversation if the ${what} of the case was edited since then`, async (t) => {
      const text = (keys: string) =>
        suiteOf([`  - {id: a, ${keys}, assert: [{type: contains, value: x}]}\n`]);
      const folder = await workspaceWith(t, {
        'bot.mjs': askedBot(),
        'a.eval.yaml': text(before),
      });
      assert.equal((await turnlight(folder, ['run'])).code, 0);
      assert.equal((await turnlight(folder, ['judge'])).code, 0, 'unedited');
      await writeFile(join(folder, 'a.eval.yaml'), text(after));
      const { code, out } = await turnlight(folder, ['judge']);
      assert.match(out, /differ from those of its recorded conversation\. Run the case again\./);
      assert.equal(code, 2);
    });
  }

  it('judges a transcript with a secret, which is hidden in the record', async (t) => {
    const folder = await workspaceWith(t, {
      'a.eval.yaml': `cases:
  - id: a
    transcript: [{user: my key is sk-abcdef0123456789}, {assistant: x}]
    assert: [{type: contains, value: x}]
`,
    });
    const env = { OPENAI_API_KEY: 'sk-abcdef0123456789' };
    assert.equal((await turnlight(folder, ['run'], env)).code, 0);
    assert.equal((await turnlight(folder, ['judge'], env)).code, 0);
  });

  it('reports if there is no run to judge', async (t) => {
    const folder = await workspaceWith(t, { 'a.eval.yaml': suiteOf(CASES) });
    const { code, err } = await turnlight(folder, ['judge']);
    assert.equal(code, 3);
    assert.match(err, /These files have no runs\. Run them first\./);
  });
});
