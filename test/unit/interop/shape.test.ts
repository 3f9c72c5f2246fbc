import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { guessShape, optionsFor } from '../../../src/interop/shape.ts';
import { imported, jsonLines } from '../../support/imports.ts';
import { realJson } from '../../support/realData.ts';

const DIALOG = [
  { speaker: 'customer', text: 'Where is order 7?' },
  { speaker: 'clerk', text: 'It was shipped.', mood: 'good' },
];
const TALK = [{ user: 'Where is order 7?' }, { assistant: 'It was shipped.' }];
const ROLES = { customer: 'user', clerk: 'assistant' } as const;

describe('a file in a format of its own', () => {
  it('is reported with its keys, its roles, and the options that import it', async () => {
    const { broken } = await imported('log.json', { data: [{ id: 'a', dialog: DIALOG }] });
    assert.match(
      broken[0] ?? '',
      /^1 Unrecognized format: found a mapping with `data`\. It seems to have messages under `\/data\/\*\/dialog`, from "customer" and "clerk"\. To import them, add --path '\/data\/\*\/dialog' --roles customer=user,clerk=assistant\. Turnlight imports: /,
    );
  });

  it('is imported with a path and roles, and keeps ids and feedback next to the messages', async () => {
    const row = { id: 'late', dialog: DIALOG, reward: 0, score: 3 };
    const shapes = [
      ['log.json', JSON.stringify({ data: [row] }), '/data/*/dialog'],
      ['log.jsonl', jsonLines(row), '/dialog'],
      ['log.yaml', JSON.stringify([row]), '/*/dialog'],
      [
        'log.csv',
        `id,dialog,reward,score\nlate,"${JSON.stringify(DIALOG).replaceAll('"', '""')}",0,3\n`,
        '/dialog',
      ],
    ] as const;
    for (const [name, text, path] of shapes) {
      const { cases, lost, rated } = await imported(name, text, {}, { path, roles: ROLES });
      assert.deepEqual(
        cases.map(({ id, transcript }) => [id, transcript]),
        [['late', TALK]],
        name,
      );
      assert.deepEqual(
        lost.map((one) => one.replace(/^\d+ /, '')),
        ['`mood` of messages is not imported.', '`score` has no Turnlight equivalent.'],
        name,
      );
      assert.equal(rated[0]?.feedback[0]?.name, 'reward');
    }
  });

  it('needs only roles if its shape is known, or if each line is a message', async () => {
    const chat = DIALOG.map(({ speaker, text }) => ({ role: speaker, content: text }));
    for (const text of [jsonLines({ messages: chat }), jsonLines(...chat), jsonLines(...DIALOG)]) {
      const { cases } = await imported('log.jsonl', text, {}, { roles: ROLES });
      assert.deepEqual(
        cases.map(({ transcript }) => transcript),
        [TALK],
      );
    }
    const { broken } = await imported('log.jsonl', jsonLines({ messages: chat }));
    assert.match(
      broken[0] ?? '',
      /"customer" is not a role.* add --roles customer=user,clerk=assistant\.$/,
    );
  });

  it('is reported if a path leads to nothing, with the path that would lead to messages', async () => {
    const { broken } = await imported('log.json', { data: [DIALOG] }, {}, { path: '/date/*' });
    assert.match(
      broken[0] ?? '',
      /found nothing at \/date\/\*\. .* add --path '\/data\/\*' --roles/,
    );
  });

  it('can be imported with the suggested options, whatever is around its conversations', async () => {
    const side = fc.constantFrom('client', 'Agent Smith', 'usr', 'sys', "o'brien", 'x');
    const key = fc.constantFrom('data', 'a/b', 'c~d', 'rows', '0');
    const conversation = fc
      .tuple(
        side,
        side,
        fc.constantFrom('text', 'value'),
        fc.constantFrom('from', 'speaker', 'who'),
      )
      .filter(([one, other]) => one !== other)
      .map(([one, other, text, who]) =>
        [one, other, one].map((name, index) => ({ [who]: name, [text]: `Text ${index}` })),
      );
    const wrap = fc.array(fc.option(key, { nil: undefined }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(conversation, wrap, async (messages, steps) => {
        const root = steps.reduceRight<unknown>(
          (inner, step) => (step === undefined ? [inner, inner] : { id: 1, [step]: inner }),
          messages,
        );
        const shape = guessShape(root) ?? {};
        assert.notEqual(optionsFor(shape), '');
        const { cases, broken } = await imported('log.json', root, {}, shape);
        assert.deepEqual(broken, []);
        const copies = 2 ** steps.filter((step) => step === undefined).length;
        assert.equal(cases.length, copies);
        assert.equal(cases[0].transcript.length, 3);
      }),
      { numRuns: 60 },
    );
  });

  it('of retrieved documents is not a conversation', () => {
    const documents = ['a', 'b', 'c'].map((id) => ({ id, content: `About ${id}` }));
    assert.equal(guessShape({ documents }), undefined);
    assert.equal(guessShape({ documents: documents.slice(0, 2) }), undefined);
  });

  for (const [path, count, options] of [
    ['crosswoz-zh/test.first15.json', 15, "--path '/*/1/messages' --roles usr=user,sys=assistant"],
    [
      'casino/valid.first10.json',
      10,
      "--path '/*/chat_logs' --roles mturk_agent_1=user,mturk_agent_2=assistant",
    ],
  ] as const) {
    const real = realJson(path);
    it(`that is real needs only the suggested options: ${path}`, { skip: real.skip }, async () => {
      const root = real.json();
      const shape = guessShape(root) ?? {};
      assert.equal(optionsFor(shape), options);
      const { cases, broken } = await imported('log.json', root, {}, shape);
      assert.deepEqual([cases.length, broken], [count, []]);
    });
  }
});
