import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Assertion } from '../../../src/core/suite.ts';
import { load, placed, suiteWith } from '../../support/evalFiles.ts';
import { actionsOf, fixed } from '../../support/language/codeActions.ts';

const CHAT = 'transcript: [{user: Hi}, {assistant: Hello}]\n';

function withAsserts(...items: readonly string[]): string {
  return suiteWith(`${CHAT}assert:\n${items.map((item) => `  - ${item}`).join('\n')}`);
}

async function assertionsOf(text: string): Promise<readonly Assertion[]> {
  const { suite, problems } = await load(text, { 'bot.mjs': '' });
  if (!suite) throw new Error(JSON.stringify(problems, null, 2));
  return suite.cases[0]?.assertions ?? [];
}

/** Keys with letters instead of digests, in order of appearance. */
function plainKeys(assertions: readonly Assertion[], seen = new Map<string, string>()): string[] {
  return assertions.flatMap(({ key, nested = [] }) => [
    key.replace(/#([0-9a-f]{8})/g, (_all, digest: string) => {
      const letter = seen.get(digest) ?? String.fromCharCode(97 + seen.size);
      seen.set(digest, letter);
      return `#${letter}`;
    }),
    ...plainKeys(
      nested.map(({ assertion }) => assertion),
      seen,
    ),
  ]);
}

const keysOf = async (text: string) => plainKeys(await assertionsOf(text));
const keyAt = async (index: number, ...items: readonly string[]) =>
  (await assertionsOf(withAsserts(...items)))[index]?.key;

describe('the key of an assertion', () => {
  it('is its label, its type if that is unique, or its type and question', async () => {
    const text = withAsserts(
      '{ type: contains, value: a }',
      '{ type: contains, value: b }',
      '{ type: regex, pattern: c, name: Order 50%/50% }',
      '{ type: tool-called, name: lookup }',
      'It is kind.',
    );
    assert.deepEqual(await keysOf(text), [
      'contains#a',
      'contains#b',
      'Order 50%25%2F50%25',
      'tool-called',
      'criterion',
    ]);
  });

  it('treats defaults as part of the case, and each scripted turn separately', async () => {
    const text = `target: { type: module, path: ./bot.mjs }
defaults:
  assert: [{ type: contains, value: a }]
cases:
  - id: one
    turns:
      - user: Hi
        assert: [{ type: contains, value: a }]
      - user: Bye
        assert: [{ type: contains, value: a }, { type: contains, value: b }]
    assert: [{ type: contains, value: b }]
`;
    assert.deepEqual(await keysOf(text), [
      'contains#a',
      'contains#b',
      'turns.1/contains',
      'turns.2/contains#a',
      'turns.2/contains#b',
    ]);
  });

  it('starts with the keys of its groups or of its graph and node', async () => {
    const text = withAsserts(
      '{ type: any-of, name: Either, assert: [a, { type: all-of, assert: [b, c] }] }',
      '{ type: decision-graph, nodes: { ask: { type: yes-no, question: q, if_yes: x, if_no: y }, x: { type: assertion, assert: d }, y: { type: assertion, assert: d } } }',
    );
    assert.deepEqual(await keysOf(text), [
      'Either',
      'Either/criterion',
      'Either/all-of',
      'Either/all-of/criterion#a',
      'Either/all-of/criterion#b',
      'decision-graph',
      'decision-graph/nodes.x/criterion',
      'decision-graph/nodes.y/criterion',
    ]);
  });

  it('stays the same with another threshold, weight, or gate, at another place, or written as a mapping', async () => {
    const other = '{ type: contains, value: other }';
    const key = await keyAt(0, '{ type: contains, value: a }', other);
    assert.equal(
      await keyAt(
        1,
        other,
        '{ type: contains, value: a, threshold: 1, weight: 2, required: true }',
      ),
      key,
    );
    assert.notEqual(await keyAt(0, '{ type: contains, value: a, at: last }', other), key);
    assert.notEqual(await keyAt(0, '{ type: contains, value: A }', other), key);
    assert.equal(await keyAt(0, '{ type: contains, value: a, ignore_case: false }', other), key);
    const text = await keyAt(0, 'It is kind.', 'It is short.');
    const writtenOut = '{ name: Short, type: criterion, criterion: It is short. }';
    assert.equal(await keyAt(1, writtenOut, '{ criterion: It is kind., type: criterion }'), text);
  });

  it('of a group stays the same if only the threshold or name of a nested assertion changes', async () => {
    const group = (inner: string) => `{ type: all-of, assert: [${inner}] }`;
    const other = group('other');
    const key = await keyAt(0, group('{ type: contains, value: a }'), other);
    const renamed = '{ type: contains, value: a, name: A, threshold: 0.5 }';
    assert.equal(await keyAt(0, group(renamed), other), key);
    assert.notEqual(await keyAt(0, group('{ type: contains, value: b }'), other), key);
  });
});

describe('two assertions with the same key', () => {
  for (const [what, text, at, titles, mended] of [
    [
      'that are the same but for their thresholds',
      withAsserts('{ type: contains, value: a }', '{ type: contains, value: a, threshold: 0.5 }'),
      '6:11',
      ['Add "name"', 'Remove this entry'],
      withAsserts(
        '{ type: contains, value: a }',
        '{ type: contains, value: a, threshold: 0.5, name: contains 2 }',
      ),
    ],
    [
      'that are the same text',
      withAsserts('It is kind.', 'It is kind.'),
      '6:9',
      ['Remove this entry'],
      withAsserts('It is kind.'),
    ],
    [
      'whose `name` is a tool',
      withAsserts('{ type: tool-called, name: a }', '{ type: tool-called, name: a }'),
      '6:11',
      ['Remove this entry'],
      withAsserts('{ type: tool-called, name: a }'),
    ],
    [
      'with the same label',
      withAsserts(
        '{ type: contains, value: a, name: A }',
        '{ type: contains, value: b, name: A 2 }',
        '{ type: contains, value: c, name: A }',
      ),
      '7:43',
      ['Change to "A 3"', 'Fix all auto-fixable Turnlight problems'],
      withAsserts(
        '{ type: contains, value: a, name: A }',
        '{ type: contains, value: b, name: A 2 }',
        '{ type: contains, value: c, name: A 3 }',
      ),
    ],
    [
      'of which one is called as the other would be',
      withAsserts('{ type: regex, pattern: a, name: contains }', '{ type: contains, value: a }'),
      '6:11',
      ['Add "name"', 'Remove this entry'],
      withAsserts(
        '{ type: regex, pattern: a, name: contains }',
        '{ type: contains, value: a, name: contains 2 }',
      ),
    ],
    [
      'in a group',
      withAsserts('{ type: all-of, assert: [a, a] }'),
      '5:37',
      ['Remove this entry'],
      withAsserts('{ type: all-of, assert: [a] }'),
    ],
  ] as const) {
    it(`is an error with a fix: ${what}`, async () => {
      assert.deepEqual(placed(await load(text)), [`${at} same-assertion`]);
      const actions = await actionsOf(text);
      assert.deepEqual(
        actions.map(({ title }) => title),
        titles,
      );
      assert.equal(await fixed(text, titles[0], 'same-assertion'), mended);
    });
  }

  it('are allowed under different turns, groups, and cases', async () => {
    const text = withAsserts('a', '{ type: all-of, assert: [a] }', '{ type: any-of, assert: [a] }');
    assert.deepEqual((await load(text)).problems, []);
  });
});
