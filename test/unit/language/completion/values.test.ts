import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertionTypes } from '../../../../src/assertions/registry.ts';
import {
  chosen,
  inAssert,
  itemsAt,
  labelsAt,
  SNIPPETS,
} from '../../../support/language/completing.ts';

describe('completion of assertion types', () => {
  it('offers each type with its summary', async () => {
    const items = await itemsAt(inAssert('      - type: |\n'));
    for (const { type, summary } of assertionTypes) {
      const { documentation } = items.find(({ label }) => label === type) ?? {};
      assert.deepEqual(documentation, { kind: 'markdown', value: summary });
    }
  });

  it('inserts required keys', async () => {
    assert.equal(
      await chosen(inAssert('      - type: |\n'), 'contains', SNIPPETS),
      inAssert('      - type: contains\n        value: $1\n'),
    );
    assert.match(
      await chosen(inAssert('      - weight: 2\n        type: |\n'), 'contains-all', SNIPPETS),
      /\n {8}type: contains-all\n {8}values:\n {10}- \$1\n/,
    );
    assert.match(await chosen(inAssert('      - type: |\n'), 'llm-judge', SNIPPETS), /prompt: \$1/);
  });

  it('inserts no existing keys, and none if the client has no snippets', async () => {
    const beside = inAssert('      - type: |\n        value: x\n');
    assert.doesNotMatch(await chosen(beside, 'contains', SNIPPETS), /\$1/);
    const plain = await chosen(inAssert('      - type: |\n'), 'contains');
    assert.equal(plain, inAssert('      - type: contains\n'));
  });

  it('inserts required keys in braces', async () => {
    const written = await chosen(inAssert('      - {type: |}\n'), 'contains', SNIPPETS);
    assert.match(written, /\{type: contains, value: \$1\}/);
  });

  it('offers whole assertions at the start of an item', async () => {
    const marked = inAssert('      - |');
    assert.equal(
      await chosen(marked, 'contains', SNIPPETS),
      inAssert('      - type: contains\n        value: $1'),
    );
    assert.match(await chosen(marked, 'decision-graph', SNIPPETS), /nodes:\n {10}\$1$/);
  });

  it('offers them within groups and in the nodes of decision graphs', async () => {
    const group = inAssert('      - type: all-of\n        assert:\n          - |\n');
    assert.match(
      await chosen(group, 'contains', SNIPPETS),
      /\n {10}- type: contains\n {12}value: \$1\n/,
    );
    assert.ok(
      (await labelsAt(group.replace('- |', '- type: |'))).includes('max-turns'),
      'also as a value',
    );
    const node =
      '      - type: decision-graph\n        nodes:\n          end:\n            type: assertion\n            assert: {type: |}\n';
    assert.ok((await labelsAt(inAssert(node))).includes('contains'));
  });

  it('works after a colon without a space', async () => {
    const written = await chosen(inAssert('      - type:|\n'), 'regex');
    assert.match(written, /- type: regex\n/);
  });
});

describe('completion of enumerated values', () => {
  it('offers the values of the schema', async () => {
    assert.deepEqual(await labelsAt(inAssert('      - type: tool-called\n        match: |\n')), [
      'exact',
      'partial',
      'pattern',
    ]);
    assert.deepEqual(await labelsAt('cases:\n  - id: a\n    only: |\n'), ['true', 'false']);
    assert.deepEqual(await labelsAt('targets:\n  bot:\n    type: |\n'), [
      'chat',
      'module',
      'command',
      'http',
      'a2a',
    ]);
    assert.ok((await labelsAt('models:\n  fast: {provider: |}\n')).includes('replay'));
  });

  it('offers languages with their names', async () => {
    const items = await itemsAt(inAssert('      - type: language\n        language: d|\n'));
    assert.deepEqual(
      items.map(({ label, detail }) => [label, detail]),
      [
        ['da', 'Danish'],
        ['de', 'German'],
      ],
    );
    assert.match(
      await chosen(inAssert('      - type: language\n        language: n|\n'), 'no'),
      /language: "no"\n/,
    );
  });

  it('offers the types of nodes with their required keys', async () => {
    const graph = (line: string) =>
      inAssert(`      - type: decision-graph\n        nodes:\n          a:\n            ${line}\n`);
    assert.deepEqual(await labelsAt(graph('type: |')), [
      'task',
      'yes-no',
      'choice',
      'verdict',
      'assertion',
    ]);
    assert.match(
      await chosen(graph('type: |'), 'yes-no', SNIPPETS),
      /type: yes-no\n {12}question: \$1\n {12}if_yes: \$2\n {12}if_no: \$3\n/,
    );
    assert.match(await chosen(graph('|'), 'verdict', SNIPPETS), /type: verdict\n {12}score: \$1\n/);
  });
});

describe('the text that a value replaces', () => {
  const at = (value: string) => inAssert(`      - type: ${value}\n        weight: 2\n`);

  it('is the whole plain value', async () => {
    assert.equal(await chosen(at('con|tains-any'), 'contains'), at('contains'));
    assert.equal(await chosen(at('con|x # why'), 'contains'), at('contains # why'));
  });

  it('is the text between quotes', async () => {
    assert.equal(await chosen(at('"con|x"'), 'contains'), at('"contains"'));
    assert.equal(await chosen(at("'|'"), 'contains'), at("'contains'"));
    assert.match(
      await chosen(inAssert('      - {type: "c|"}\n'), 'contains'),
      /\{type: "contains"\}/,
    );
  });

  it('ends with a closing quote if there is none', async () => {
    // Without a closing quote, the value would extend into the next case.
    const rest = '\n  - id: b\n    tags: ["x"]\n';
    assert.equal(
      await chosen(inAssert(`      - type: "con|${rest}`), 'contains'),
      inAssert(`      - type: "contains"${rest}`),
    );
    assert.match(
      await chosen(inAssert("      - {type: 'c|}\n"), 'contains'),
      /\{type: 'contains'\}/,
    );
  });

  it('is correct after emoji and right-to-left text, and with CRLF and a BOM', async () => {
    const marked = inAssert("      - {name: '😀 שלום', type: con|x}\n").replaceAll('\n', '\r\n');
    assert.match(await chosen(`\uFEFF${marked}`, 'contains'), /'😀 שלום', type: contains\}\r\n/);
  });
});

describe('places without completions', () => {
  for (const [what, marked] of Object.entries({
    'free text': 'cases:\n  - id: a\n    turns:\n      - Hello the|\n',
    'the text of a criterion': inAssert('      - The agent con|\n'),
    'text over several lines': inAssert(
      '      - type: contains\n        value: one\n          t|\n',
    ),
    'a block of text': 'cases:\n  - id: a\n    turns:\n      - user: >\n          na|\n',
    'quoted text': 'cases:\n  - id: a\n    description: "th|"\n',
    'a comment': 'cases:\n  - id: a # th|\n',
    'a line of comment': 'cases:\n  # th|\n  - id: a\n',
    'keys of your own': 'cases:\n  - id: a\n    context:\n      na|\n',
    'a transcript': 'cases:\n  - id: a\n    transcript:\n      - user: con|\n',
  })) {
    it(`include ${what}`, async () => assert.deepEqual(await labelsAt(marked), []));
  }

  it('include positions outside of the text', async () => {
    const { completion } = await import('../../../../src/language/completion/completion.ts');
    assert.deepEqual(await completion('', '/x', { line: 9, character: 9 }), []);
  });
});
