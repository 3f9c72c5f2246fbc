import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load, placed, suiteWith, TRANSCRIPT } from '../../support/evalFiles.ts';

const CHAT = 'transcript: [{user: Hi}, {assistant: Hello}]\n';
const BOT = 'targets:\n  bot: {type: module, path: ./bot.mjs}\ntarget: bot\n';

describe('the rules of a case', () => {
  for (const [what, text, expected] of [
    ['an id with a space', suiteWith(TRANSCRIPT).replace('one', 'o ne'), ['2:9 wrong-value']],
    [
      'no id',
      'cases:\n  - transcript: [{user: a}, {assistant: b}]\n    assert: [x]\n',
      ['2:5 missing-key'],
    ],
    ['nothing checked', suiteWith(CHAT), ['2:5 no-assertion']],
    ['no conversation', suiteWith('assert: [x]'), ['2:5 turns-or-transcript']],
    [
      'both turns and a transcript',
      suiteWith(`${TRANSCRIPT}\nturns: [Hi]`, BOT),
      ['6:5 turns-or-transcript'],
    ],
    ['turns without a target', suiteWith('turns: [Hi]\nassert: [x]'), ['3:5 missing-target']],
    [
      'an unknown target',
      suiteWith('turns: [Hi]\nassert: [x]\ntarget: bott', BOT),
      ['8:13 unknown-name'],
    ],
    [
      'a text that a comment cuts short',
      suiteWith('transcript:\n  - user: My order #98765 is late.\n  - assistant: x\nassert: [x]'),
      ['4:24 comment-cuts-text'],
    ],
    [
      'an item that is indented too far, and so more of the one before',
      suiteWith(
        `${TRANSCRIPT.replace(/\nassert.*/s, '')}\nassert:\n  - It greets.\n   - It is kind.`,
      ),
      ['6:8 dash-in-text'],
    ],
    [
      'a module outside the workspace',
      suiteWith('turns: [Hi]\nassert: [x]\ntarget: {type: module, path: ../../bot.mjs}'),
      ['5:34 path-outside'],
    ],
    [
      "a misspelt key in a target's model, and one in its tools",
      suiteWith(
        'turns: [Hi]\nassert: [x]\ntarget: {type: chat, model: {provider: openai, modle: a}, tools: [{name: b, x: 1}]}',
      ),
      ['5:52 unknown-key', '5:63 unanswered-tool', '5:81 unknown-key'],
    ],
    ['an unknown judge', suiteWith(`${TRANSCRIPT}\njudge: nobody`), ['5:12 unknown-name']],
    ['a threshold above 1', suiteWith(`${TRANSCRIPT}\nthreshold: 2`), ['5:16 out-of-range']],
    ['a text for a number', suiteWith(`${TRANSCRIPT}\nthreshold: high`), ['5:16 wrong-type']],
    [
      'a repeat past any use',
      suiteWith(`${TRANSCRIPT}\nrepeat: 1000000000`),
      ['5:13 out-of-range'],
    ],
    ['so many `times`', suiteWith(`${TRANSCRIPT}\nrepeat: {times: 1001}`), ['5:21 out-of-range']],
    ['a repeat of 0', suiteWith(`${TRANSCRIPT}\nrepeat: 0`), ['5:13 out-of-range']],
    [
      'stop_on_failure on a transcript',
      suiteWith(`${TRANSCRIPT}\nstop_on_failure: true`),
      ['5:5 useless-key'],
    ],
    [
      'an unknown variable',
      suiteWith('turns: ["Hi {{nam}}"]\ncontext: {name: Sarah}\nassert: [x]', BOT),
      ['6:17 unknown-variable'],
    ],
    [
      'an environment variable in what is said',
      suiteWith(`turns: ["\${env:HOME}"]\nassert: [x]`, BOT),
      ['6:13 env-not-allowed'],
    ],
  ] as const) {
    it(`reports ${what}`, async () => {
      assert.deepEqual(placed(await load(text)), expected);
    });
  }

  it('reports a duplicate id, also in an included file', async () => {
    const loaded = await load(suiteWith(TRANSCRIPT, 'include: [more.eval.yaml]\n'), {
      'more.eval.yaml': suiteWith(TRANSCRIPT),
    });
    assert.deepEqual(placed(loaded), ['more.eval.yaml:2:9 duplicate-id']);
    assert.equal(loaded.suite?.cases.length, 1);
  });

  it('runs the valid cases', async () => {
    const loaded = await load(`${suiteWith(TRANSCRIPT)}  - id: broken\n    assert: [x]\n`);
    assert.deepEqual(
      loaded.suite?.cases.map(({ id }) => id),
      ['one'],
    );
    assert.equal(loaded.outline[1]?.errors.length, 1);
  });
});

describe('the rules of an assertion', () => {
  const one = (assertion: string) => suiteWith(`${CHAT}assert:\n  - ${assertion}`);
  for (const [what, assertion, expected] of [
    ['a blank criterion', '"  "', ['5:9 wrong-value']],
    ['an unknown type', 'type: contians', ['5:15 unknown-type']],
    ['a missing key', 'type: contains', ['5:9 missing-key']],
    ['a misspelled key', '{type: contains, valu: x}', ['5:26 unknown-key']],
    ['a key of another kind', '{type: contains, value: x, judge: a:b}', ['5:36 unknown-key']],
    ['a pattern that could hang', '{type: regex, pattern: "(a+)\\\\1"}', ['5:32 wrong-value']],
    ['a turn beyond the end', '{type: contains, value: x, at: 9}', ['5:40 bad-at']],
    ["a turn of the user's", '{type: contains, value: x, at: 1}', ['5:40 bad-at']],
    ['turn 0', '{type: contains, value: x, at: 0}', ['5:40 bad-at']],
    ['a range that goes backwards', '{type: contains, value: x, at: "2-1"}', ['5:40 bad-at']],
    ['a missing role', 'type: role-adherence', ['5:9 missing-need']],
    ['no prompt', 'type: llm-judge', ['5:9 prompt-or-instructions']],
    ['a prompt that is not there', '{type: llm-judge, prompt: judges/x.md}', ['5:35 file-missing']],
    [
      'a prompt outside the workspace',
      '{type: llm-judge, prompt: ../../x.md}',
      ['5:35 path-outside'],
    ],
    ['an absolute path', '{type: llm-judge, prompt: /etc/passwd}', ['5:35 path-outside']],
    [
      'a variable of instructions that the case has nothing for',
      '{type: llm-judge, instructions: "Play {{role}}."}',
      ['5:47 missing-fact'],
    ],
    [
      'instructions without the conversation not at all',
      '{type: llm-judge, instructions: Be strict.}',
      [],
    ],
  ] as const) {
    it(`reports ${what}`, async () => {
      assert.deepEqual(placed(await load(one(assertion))), expected);
    });
  }

  it('warns if no judge is set, and still lists the case as ready', async () => {
    const loaded = await load(one('It is friendly.'), {}, { defaultJudge: '' });
    assert.deepEqual(placed(loaded), ['5:9 no-judge']);
    assert.equal(loaded.suite?.cases.length, 1);
  });

  it('suggests the key that was meant', async () => {
    const { problems } = await load(one('{type: contains, valu: x}'));
    assert.match(problems[0]?.message ?? '', /Did you mean "value"\?/);
    assert.equal(problems[0]?.replacement, 'value');
  });

  it("lists defaults first, then the case's own assertions, then its turns' assertions", async () => {
    const text = suiteWith(
      'turns: [{user: Hi, assert: [c]}]\nassert: [b]',
      `${BOT}defaults: {assert: [a]}\n`,
    );
    const assertions = (await load(text)).suite?.cases[0]?.assertions ?? [];
    assert.deepEqual(
      assertions.map(({ name, index, scriptedTurn }) => [name, index, scriptedTurn]),
      [
        ['a', 0, undefined],
        ['b', 1, undefined],
        ['c', 2, 0],
      ],
    );
  });

  it('uses the nearest judge', async () => {
    const text = suiteWith(
      `${CHAT}judge: openai:of-case\nassert: [{type: turn-relevancy, judge: "openai:own"}, x]`,
      'judge: openai:of-file\n',
    );
    const judges = (await load(text)).suite?.cases[0]?.assertions.map(({ judge }) => judge?.id);
    assert.deepEqual(judges, ['openai:own', 'openai:of-case']);
    const replaced = await load(text, {}, { judgeOverride: { judge: 'openai:over' } });
    assert.deepEqual(
      replaced.suite?.cases[0]?.assertions.map(({ judge }) => judge?.id),
      ['openai:over', 'openai:over'],
    );
  });

  it('warns about an environment variable that is not set', async () => {
    const text = suiteWith(TRANSCRIPT, `judge: {provider: openai, model: "\${env:JUDGE}"}\n`);
    assert.deepEqual(placed(await load(text)), ['1:1 unset-variable']);
    const loaded = await load(text, {}, { env: () => 'gpt' });
    assert.equal(loaded.suite?.cases[0]?.judge?.id, 'openai:gpt');
  });
});

describe('the address of an endpoint', () => {
  const withAddress = (address: string) =>
    suiteWith(TRANSCRIPT, `judge: {provider: openai, model: a, base_url: "${address}"}\n`);

  it('can be an environment variable, in whole or in part', async () => {
    for (const address of [`\${env:HOST}`, `\${env:HOST}/v1`, `https://\${env:HOST}/v1`]) {
      assert.deepEqual(placed(await load(withAddress(address))), ['1:1 unset-variable'], address);
      const host = address.startsWith('https') ? 'example.com' : 'https://example.com';
      const set = await load(withAddress(address), {}, { env: () => host });
      assert.deepEqual(placed(set), [], address);
    }
  });

  it('is reported by its variable, never by its value, if it is invalid', async () => {
    const { problems } = await load(withAddress(`\${env:HOST}`), {}, { env: () => 's3cret' });
    assert.deepEqual(
      problems.map(({ code, message }) => [code, message]),
      [
        [
          'bad-variable',
          'The value of HOST cannot be used here. Expected an address that starts with http:// or https://.',
        ],
      ],
    );
  });

  it('is a web address', async () => {
    for (const address of ['example.com', 'ftp://example.com', 'https://', 'https://a b']) {
      assert.deepEqual(placed(await load(withAddress(address))), ['1:47 wrong-value'], address);
    }
  });
});

describe('included files', () => {
  it('can only contain cases', async () => {
    const loaded = await load(suiteWith(TRANSCRIPT, 'include: [more.yaml]\n'), {
      'more.yaml': `name: x\n${suiteWith(TRANSCRIPT).replace('one', 'two')}`,
    });
    assert.deepEqual(placed(loaded), ['more.yaml:1:1 unknown-key']);
  });

  it('are reported if a pattern matches none', async () => {
    assert.deepEqual(placed(await load(suiteWith(TRANSCRIPT, 'include: ["more/*.yaml"]\n'))), [
      '1:11 file-missing',
    ]);
  });
});
