import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../src/core/limits.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { evalFilePaths, importers } from '../../../src/interop/importFile.ts';
import { HOSTILE_TEXTS } from '../../support/hostileTexts.ts';
import { imported, jsonLines } from '../../support/imports.ts';

const talk = (question: string, more: object = {}) => ({
  messages: [
    { role: 'user', content: question },
    { role: 'assistant', content: `You asked: ${question}` },
  ],
  ...more,
});

describe('a secret in an imported file', () => {
  const KEY = 'Qw3rTy+Zx9/"LmN=OpQr12';
  const ESCAPED = JSON.stringify(KEY).replace('+', '\\u002B').replace('=', '\\u003D');
  const scrubber = new Scrubber({ MY_KEY: KEY });
  const said = (content: string) =>
    `[{"role":"user","content":${content}},{"role":"assistant","content":"Hi"}]`;

  for (const [form, name, text] of [
    ['JSON', 'log.json', said(ESCAPED)],
    [
      'JSON in JSON',
      'log.jsonl',
      jsonLines([
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          tool_calls: [
            {
              id: '1',
              type: 'function',
              function: { name: 'find', arguments: `{"key":${ESCAPED}}` },
            },
          ],
        },
        { role: 'tool', tool_call_id: '1', content: 'Found' },
      ]),
    ],
    [
      'folded YAML',
      'log.yaml',
      `- role: user
  content: "Qw3rTy\\x2bZx9/\\"LmN\\
    =OpQr12"
- role: assistant
  content: Hi
`,
    ],
    ['CSV', 'log.csv', `messages\n"${said(ESCAPED).replaceAll('"', '""')}"\n`],
  ] as const) {
    it(`is hidden although it is escaped in ${form}`, async () => {
      const { texts } = await imported(name, text, {}, {}, scrubber);
      assert.match(texts.join(), /: "\[hidden: MY_KEY\]"/);
    });
  }

  it('is hidden in trials, feedback, and messages about what is left out', async () => {
    const trial = (reward: number) =>
      `{"task_id":"late","reward":${reward},"messages":${said(ESCAPED)},${ESCAPED}:1,"feedback":[{"key":"kind","score":1,"comment":${ESCAPED},"user":"ann"}]}\n`;
    const got = await imported('log.jsonl', trial(0) + trial(1), {}, {}, scrubber);
    const { texts, data, rated, entries, found } = got;
    const all = JSON.stringify({ texts, data, rated, entries, found });
    assert.ok(!all.includes('OpQr12'), all);
    for (const part of [Object.values(data), rated, entries]) {
      assert.match(JSON.stringify(part), /\[hidden: MY_KEY\]/);
    }
  });
});

describe('an imported file', () => {
  it('is refused before parsing if it has too many values', async () => {
    const commas = ','.repeat(LIMITS.importedCommas + 1);
    for (const name of ['log.jsonl', 'log.json', 'log.csv']) {
      const { broken } = await imported(name, `[${commas}]`);
      assert.match(broken.join(), /^1 The file has more than 800,000 commas/);
    }
  });

  it('is refused before parsing if the JSON in its strings has too many values', async () => {
    // Each string has fewer values than the limit for one.
    const string = (comma: string) => `"[${Array(300_000).fill('{}').join(comma)}]"`;
    for (const [name, comma] of [
      ['log.jsonl', '\\u002c'],
      ['log.json', '\\u002C'],
      ['log.yaml', '\\x2c'],
      ['log.yaml', ','],
    ] as const) {
      const { broken } = await imported(name, `[${Array(3).fill(string(comma)).join()}]`);
      assert.match(broken.join(), /^1 The file has more than 800,000 commas/, comma);
    }
  });

  it("isn't scanned further than the depth limit", async () => {
    const deep = '['.repeat(LIMITS.depth);
    const { broken, cases } = await imported(
      'log.json',
      `[${JSON.stringify(talk('Hi'))},\n[${deep}\n${'['.repeat(10_000)}`,
    );
    assert.match(broken.join(), /^2 From here on, the file is nested deeper than 200 levels/);
    assert.equal(cases.length, 1);
  });

  it('becomes an eval file with ids, tags, a check without a model, and suggestions', async () => {
    const { texts } = await imported(
      'log.jsonl',
      jsonLines(talk('Where is my order 98765?'), talk('Where is my order 98765?')),
    );
    assert.equal(
      texts[0]?.replace(/[0-9a-f]{16}/, 'DIGEST'),
      `# Imported from log.jsonl (chat logs).
# Importing again replaces this file unless it was edited (DIGEST).
defaults: { tags: [chat-log] }

cases:
  - id: where-is-my-order-98765
    transcript:
      - user: Where is my order 98765?
      - assistant: "You asked: Where is my order 98765?"
    assert:
      - type: max-turns
        max: 2
      # Suggested checks that need a judge. Uncomment the ones that should hold:
      # - type: conversation-completeness

  - id: where-is-my-order-98765-2
    transcript:
      - user: Where is my order 98765?
      - assistant: "You asked: Where is my order 98765?"
    assert:
      - type: max-turns
        max: 2
      # Suggested checks that need a judge. Uncomment the ones that should hold:
      # - type: conversation-completeness
`,
    );
  });

  it('keeps valid ids, and names cases without words after their format', async () => {
    const { cases } = await imported(
      'log.jsonl',
      jsonLines(talk('Hi', { id: 'conv_7.a' }), talk('你好'), talk('再见')),
    );
    assert.deepEqual(
      cases.map(({ id }) => id),
      ['conv_7.a', 'chat-log', 'chat-log-2'],
    );
  });

  it('loses only a broken line, and reports it', async () => {
    const lines = jsonLines(talk('One'), talk('Two')).split('\n');
    const { cases, broken } = await imported(
      'log.jsonl',
      [lines[0], '{"messages": [', lines[1]].join('\n'),
    );
    assert.equal(cases.length, 2);
    assert.equal(broken.length, 1);
    assert.match(broken[0] ?? '', /^2 This line is not valid JSON: /);
  });

  it('loses lines in another format and lines with invalid messages', async () => {
    const wrong = {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'bot', content: 'x' },
      ],
    };
    const { cases, broken } = await imported(
      'log.jsonl',
      jsonLines(talk('One'), { colour: 'red' }, wrong),
    );
    assert.equal(cases.length, 1);
    assert.deepEqual(broken, [
      '2 Expected chat logs, found a mapping with `colour`.',
      '3 A request was left out. Message 2, `role`: "bot" is not a role. Roles: system, developer, user, assistant, tool. To import it, add --roles bot=assistant.',
    ]);
  });

  it('keeps the complete conversations if it is truncated, and reports the line', async () => {
    const whole = JSON.stringify([talk('One'), talk('Two'), talk('Three')], undefined, 1);
    const half = whole.slice(0, whole.indexOf('Three') + 3);
    const { cases, broken } = await imported('log.json', half);
    assert.deepEqual(
      cases.map(({ id }) => id),
      ['one', 'two'],
    );
    assert.equal(broken.length, 1);
    const line = half.split('\n').length;
    assert.match(
      broken[0] ?? '',
      new RegExp(
        `^${line} From here on, the file is not valid JSON: .*\\. Everything before it is imported\\.$`,
      ),
    );
  });

  it('in an unknown format is reported with the known formats and what was found', async () => {
    const { texts, importer, broken } = await imported('x.json', [{ colour: 'red' }]);
    assert.deepEqual([texts, importer], [[], undefined]);
    assert.match(broken[0] ?? '', /^1 Unrecognized format: found a mapping with `colour`\./);
    for (const { name } of importers) assert.ok(broken[0]?.includes(name), name);
  });

  it("in any format is an error, not a crash, if it is empty or isn't data", async () => {
    for (const name of ['x.json', 'x.jsonl', 'x.yaml', 'x.csv', 'x.txt']) {
      for (const text of [
        '',
        ' ',
        'null',
        '[]',
        '{}',
        '{',
        '"',
        'Hello: there: you',
        '\u0000',
        'a,b\n1,2\n',
      ]) {
        const { texts, broken } = await imported(name, text);
        assert.deepEqual(texts, [], `${name} ${text}`);
        assert.ok(broken.length > 0, `${name} ${text}`);
      }
    }
  });

  it('is read the same with hostile texts, which are never obeyed', async () => {
    for (const text of [
      ...Object.values(HOSTILE_TEXTS),
      '{{goal}} $' + '{env:HOME}',
      '- a: b # c',
    ]) {
      const { cases } = await imported('log.jsonl', jsonLines(talk(`x ${text}`, { id: text })));
      assert.equal(cases[0]?.transcript[0].user, `x ${text}`);
    }
  });

  it('is split if it is long, and limited to the first conversations', async () => {
    const long = 'word '.repeat(40_000);
    const many = await imported(
      'log.jsonl',
      jsonLines(...Array.from({ length: 9 }, () => talk(long))),
    );
    assert.ok(many.texts.length > 1, String(many.texts.length));
    assert.equal(many.cases.length, 9);
    const count = LIMITS.importedCases + 5;
    const all = await imported(
      'log.jsonl',
      jsonLines(...Array.from({ length: count }, () => talk('Hi'))),
    );
    assert.equal(all.cases.length, LIMITS.importedCases);
    assert.match(all.broken[0] ?? '', /Only the first 1,000 conversations are imported/);
  });
});

describe('a file with too many rows', () => {
  const count = LIMITS.importedRows + 5;
  // Only the first two rows are conversations.
  const rows = Array.from({ length: count }, (_, index) =>
    index < 2 ? { query: 'Hi', response: 'Hello' } : { other: 'row' },
  );
  for (const [path, content, line] of [
    ['data.jsonl', jsonLines(...rows), count - 4],
    ['data.json', JSON.stringify(rows, undefined, 0).replaceAll('},', '},\n'), count - 4],
    ['data.csv', `query,response\n${rows.map(() => 'Hi,Hello\n').join('')}`, count - 3],
  ] as const) {
    it(`${path} is read up to the limit`, async () => {
      const { cases, entries } = await imported(path, content);
      assert.equal(cases.length, path.endsWith('.csv') ? LIMITS.importedCases : 2);
      const message =
        'This line and those after it are not read: only the first 50,000 rows are imported. Split the file.';
      assert.deepEqual(entries.at(-1), { line, message, broken: true });
    });
  }
});

describe('default assertions of an imported file', () => {
  const file = (assertions: readonly object[], tests: number) => ({
    prompts: ['{{q}}'],
    providers: ['openai:gpt-5'],
    defaultTest: { assert: assertions },
    tests: Array.from({ length: tests }, (_, index) => ({ vars: { q: `q${index}` } })),
  });

  it('are not counted again for each case when it is split', async () => {
    const long = { type: 'contains', value: 'word '.repeat(2_000) };
    const { texts, cases } = await imported('promptfoo.json', file([long], 60));
    assert.deepEqual([texts.length, cases.length], [1, 60]);
  });

  it('limit the number of cases', async () => {
    const values = Array.from({ length: LIMITS.assertions / 50 - 1 }, (_, index) => `a${index}`);
    const any = { type: 'contains-any', value: values };
    const { cases, broken } = await imported('promptfoo.json', file([any], 51));
    assert.equal(cases.length, 50);
    assert.match(
      broken.join(),
      /Only the first 50 conversations are imported, because each has 2,000 default assertions/,
    );
  });
});

describe('the eval file of an imported file', () => {
  it('has its folder and name, but never its path', () => {
    assert.deepEqual(evalFilePaths('/a/log.jsonl', 2), ['/a/log.eval.yaml', '/a/log-2.eval.yaml']);
    assert.deepEqual(evalFilePaths('/a/b.eval.yaml', 1), ['/a/b.imported.eval.yaml']);
    assert.deepEqual(evalFilePaths('/a/log.json', 1, '/b/mine.eval.yaml'), ['/b/mine.eval.yaml']);
  });
});
