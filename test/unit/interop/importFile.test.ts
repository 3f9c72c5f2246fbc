import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../src/core/limits.ts';
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

describe('an imported file', () => {
  it('is refused before parsing if it has too many values', async () => {
    const commas = ','.repeat(LIMITS.importedCommas + 1);
    for (const name of ['log.jsonl', 'log.json', 'log.csv']) {
      const { broken } = await imported(name, `[${commas}]`);
      assert.match(broken.join(), /^1 The file has more than 800,000 commas/);
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
      texts[0],
      `# Imported from log.jsonl (chat logs).
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
      '3 A request is left out. Message 2, `role`: "bot" is not a role. Roles: system, developer, user, assistant, tool.',
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

describe('the eval file of an imported file', () => {
  it('has its folder and name, but never its path', () => {
    assert.deepEqual(evalFilePaths('/a/log.jsonl', 2), ['/a/log.eval.yaml', '/a/log-2.eval.yaml']);
    assert.deepEqual(evalFilePaths('/a/b.eval.yaml', 1), ['/a/b.imported.eval.yaml']);
    assert.deepEqual(evalFilePaths('/a/log.json', 1, '/b/mine.eval.yaml'), ['/b/mine.eval.yaml']);
  });
});
