import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load, placed, suiteWith, TRANSCRIPT } from '../../support/evalFiles.ts';

const BOT = 'targets:\n  bot: {type: module, path: ./bot.mjs}\n';
const JUDGE = '{provider: openai, model: x}';
const LIVE = 'turns: [Hi]\nassert: [x]';

describe('a misspelled key', () => {
  for (const [what, text, expected] of [
    ['the cases', suiteWith(TRANSCRIPT).replace('cases', 'cases2'), ['1:1 unknown-key']],
    [
      'the models that cases name',
      suiteWith(`${TRANSCRIPT}\njudge: a`, `modles: {a: ${JUDGE}}\n`),
      ['1:1 unknown-key'],
    ],
    [
      'the targets that cases name',
      suiteWith(LIVE, `${BOT.replace('targets', 'tragets')}target: bot\n`),
      ['1:1 unknown-key'],
    ],
    ['the target of all cases', suiteWith(LIVE, `${BOT}tarhet: bot\n`), ['3:1 unknown-key']],
    [
      'the assertions of the defaults',
      suiteWith('transcript: [{user: Hi}, {assistant: x}]', 'defaults: {asert: [x]}\n'),
      ['1:12 unknown-key'],
    ],
    [
      'the type of an assertion, and below it another key',
      suiteWith(`${TRANSCRIPT.replace('[It is friendly.]', '[{typ: contains, valu: x}]')}`),
      ['4:15 unknown-key', '4:30 unknown-key'],
    ],
    [
      'the provider of a model in use',
      suiteWith(`${TRANSCRIPT}\njudge: a`, `models: {a: {provder: openai, model: x}}\n`),
      ['1:14 unknown-key'],
    ],
  ] as const) {
    it(`is reported once: ${what}`, async () => {
      assert.deepEqual(placed(await load(text)), expected);
    });
  }

  it('does not hide problems below it', async () => {
    const text = suiteWith(`${TRANSCRIPT}\njudge: a`, 'modles:\n  a: {provider: openai}\n');
    assert.deepEqual(placed(await load(text)), ['1:1 unknown-key', '2:3 missing-key']);
  });

  it('keeps its case from running', async () => {
    const loaded = await load(suiteWith(TRANSCRIPT.replace('It is friendly.', '{tpye: safety}')));
    assert.equal(loaded.suite, undefined);
    assert.equal(loaded.outline[0]?.errors.length, 1);
  });

  it('is reported once in an included file as well', async () => {
    const loaded = await load(suiteWith(TRANSCRIPT, 'include: [more.yaml]\n'), {
      'more.yaml': suiteWith(TRANSCRIPT).replace('cases', 'caes').replace('one', 'two'),
    });
    assert.deepEqual(placed(loaded), ['more.yaml:1:1 unknown-key']);
  });
});

describe('a consequence of another problem', () => {
  for (const [what, text, expected] of [
    [
      'names of models that cannot be read',
      suiteWith(`${TRANSCRIPT}\njudge: a`, 'models: 5\n'),
      ['1:9 wrong-type'],
    ],
    [
      'defaults that cannot be read',
      suiteWith('transcript: [{user: Hi}, {assistant: x}]', 'defaults: {assert: 5}\n'),
      ['1:20 wrong-type'],
    ],
    ['a target that cannot be read', suiteWith(LIVE, 'target: 5\n'), ['1:9 wrong-type']],
    [
      'topics that cannot be read',
      suiteWith(TRANSCRIPT.replace('It is friendly.', '{type: topic-adherence}'), 'topics: 5\n'),
      ['1:9 wrong-type'],
    ],
  ] as const) {
    it(`is not reported: ${what}`, async () => {
      assert.deepEqual(placed(await load(text)), expected);
    });
  }
});

describe('the only unknown key of a mapping that lacks one key', () => {
  const said = async (assertion: string) => {
    const { problems } = await load(suiteWith(TRANSCRIPT.replace('It is friendly.', assertion)));
    return problems.map(({ code, message, replacement }) => [code, message, replacement]);
  };

  it('is corrected to the missing key', async () => {
    assert.deepEqual(await said('{type: regex, value: "[0-9]+"}'), [
      ['unknown-key', '`value` is `pattern` here.', 'pattern'],
    ]);
  });

  it('is corrected in a message, too', async () => {
    const call = '{id: c, function: {tool: look, arguments: {}}}';
    const { problems } = await load(
      suiteWith(`transcript: [{user: Hi}, {assistant: x, tool_calls: [${call}]}]\nassert: [x]`),
    );
    assert.deepEqual(
      problems.map(({ message, replacement }) => [message, replacement]),
      [['Message 2, `tool_calls.0.function`: `tool` is `name` here.', 'name']],
    );
  });

  it('is not corrected if its value is invalid for the missing key', async () => {
    const messages = (await said('{type: regex, flags: [i]}')).map(([, message]) => message);
    assert.equal(messages[0], 'Missing key "pattern".');
    assert.match(
      messages[1] ?? '',
      /^Unknown key "flags"\. Known keys here: pattern, ignore_case, /,
    );
  });

  it('is not corrected if two keys are missing or unknown', async () => {
    const codes = async (assertion: string) => (await said(assertion)).map(([code]) => code);
    assert.deepEqual(await codes('{type: regex, value: a, other: b}'), [
      'missing-key',
      'unknown-key',
      'unknown-key',
    ]);
  });
});

describe('a key that is a value of the missing key', () => {
  it('gets a hint what to write, without a list of all values', async () => {
    const { problems } = await load(
      suiteWith(`${TRANSCRIPT.split('\n')[0]}\nassert:\n  - contains: Hello`),
    );
    assert.deepEqual(
      problems.map(({ message }) => message),
      ['Missing key "type". Write `type: contains`.'],
    );
  });
});

describe('a value of the wrong kind', () => {
  for (const [what, caseKeys, message] of [
    ['half a number', 'repeat: 1.5', 'Expected a whole number or a mapping, found 1.5.'],
    ['a list for text', 'description: [x]', 'Expected text, found a list.'],
    ['text for a number or a mapping', 'repeat: x', 'Expected a number or a mapping, found text.'],
    [
      'a list instead of one of several kinds',
      'repeat: []',
      'Expected a number or a mapping, found a list.',
    ],
    ['a mapping without its key', 'at: {}', 'Missing key "agent".'],
    ['too small a number', 'repeat: 0', 'Expected at least 1, found 0.'],
    ['a number too great for a share', 'threshold: 2', 'Expected at most 1, found 2.'],
    ['another word for each turn', 'at: evry', 'Unknown value "evry". Did you mean "each"?'],
    ['a choice with a typo', 'at: lst', 'Unknown value "lst". Did you mean "last"?'],
    [
      'no choice at all',
      'at: 2-',
      'Expected all, live, last, first, each, a turn number, a range such as "2-6", or {agent: NAME}.',
    ],
    ['a list without items', 'at: []', 'Expected at least 1 item, found 0.'],
    ['empty text', 'role: ""', 'Expected text, found empty text.'],
    ['nothing', 'role:', 'Expected text, found nothing.'],
    ['true for text', 'role: true', 'Expected text, found true. Put it in quotes.'],
  ] as const) {
    it(`is reported with the kind that was found: ${what}`, async () => {
      const text = caseKeys.startsWith('at')
        ? TRANSCRIPT.replace('It is friendly.', `{type: safety, ${caseKeys}}`)
        : `${TRANSCRIPT}\n${caseKeys}`;
      const { problems } = await load(suiteWith(text));
      assert.deepEqual(
        problems.map((one) => one.message),
        [message],
      );
    });
  }
});
