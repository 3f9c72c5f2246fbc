import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answerSchema } from '../../../src/assertions/contract.ts';
import { readAnswerText } from '../../../src/judge/answerText.ts';
import { judgeRequest } from '../../../src/judge/ask.ts';
import { judgedTurns, questionsOfAllTypes } from '../../support/questions.ts';

describe('the text of an answer', () => {
  const found = { kind: 'object', value: { a: 1 } };
  const rows: [string, string, unknown][] = [
    ['plain', '{"a": 1}', found],
    ['in a code fence', '```json\n{"a": 1}\n```', found],
    ['with words around it', 'Here it is: {"a": 1}. Bye', found],
    ['with braces in the words before it', 'As {asked}: {"a": 1}', found],
    ['with braces in the words after it', '{"a": 1} I hope {this} helps', found],
    ['after thoughts that hold another', '<think>{"a": 2}</think>\n{"a": 1}', found],
    [
      'with braces and quotes inside texts',
      'x {"a": "}\\"{"} y',
      { kind: 'object', value: { a: '}"{' } },
    ],
    [
      'with thoughts inside a text',
      '{"a": "<think>x</think>"}',
      { kind: 'object', value: { a: '<think>x</think>' } },
    ],
    [
      'with a key in two objects',
      '{"b": [{"a": 1}, {"a": 2}], "a": "\\"a\\": 1"}',
      { kind: 'object', value: { b: [{ a: 1 }, { a: 2 }], a: '"a": 1' } },
    ],
    ['twice', '{"a": 1} {"a": 2}', { kind: 'several' }],
    ['twice, the second in words', '{"a": 1}\nOr rather {"a": 0}.', { kind: 'several' }],
    ['with a key twice', '{"a": 0, "b": {}, "a": 1}', { kind: 'repeated-key', key: 'a' }],
    [
      'with a key twice, once escaped',
      '{"a": 0, "\\u0061": 1}',
      { kind: 'repeated-key', key: 'a' },
    ],
    [
      'with a key twice further in',
      '{"b": [{"a": 0, "a": 1}]}',
      { kind: 'repeated-key', key: 'a' },
    ],
    ['without an object', 'No, it did not.', { kind: 'none' }],
    ['as a bare text', '"No"', { kind: 'none' }],
    ['that breaks off', '{"a": [1, 2', { kind: 'none' }],
    ['in thoughts alone', '<think>{"a": 1}</think>', { kind: 'none' }],
    ['of nothing', '', { kind: 'none' }],
  ];
  for (const [name, text, expected] of rows) {
    it(`is read ${name}`, () => assert.deepEqual(readAnswerText(text), expected));
  }

  it('of braces alone ends', () => {
    assert.equal(readAnswerText('{'.repeat(450_000)).kind, 'none');
  });

  it('is not read where it is nested too deep', () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    assert.equal(readAnswerText(nested(100)).kind, 'object');
    assert.equal(readAnswerText(nested(50_000)).kind, 'none');
  });

  it('is not read where no judge writes as much', () => {
    assert.equal(readAnswerText(`{"a": "${'x'.repeat(500_000)}"}`).kind, 'too-long');
  });
});

describe('the schema of an answer', () => {
  for (const { type, question } of questionsOfAllTypes()) {
    it(`of ${type} is strict: closed, everything required, no keyword that endpoints refuse`, () => {
      const schema = answerSchema(question.answer);
      assertStrict(schema);
      assert.match(question.name, /^[A-Za-z0-9_-]{1,64}$/);
    });
    it(`of ${type} asks for an entry on each turn and for a rationale`, () => {
      const text = JSON.stringify(answerSchema(question.answer));
      assert.match(text, /"turns":\{"type":"array"/);
      for (const key of ['turn', 'applicable', 'rationale', 'evidence']) {
        assert.ok(text.includes(`"${key}"`), key);
      }
      const { messages } = judgeRequest('block', question, { temperature: 0 });
      assert.ok(messages[1]?.content.includes(`Turns to judge: ${judgedTurns(type)}.`));
    });
  }
});

const ALLOWED = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'anyOf',
];

function assertStrict(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { type, properties, required, additionalProperties, items, anyOf, description, ...other } =
    schema as Record<string, unknown>;
  assert.deepEqual(
    Object.keys(other).filter((key) => !ALLOWED.includes(key)),
    [],
  );
  assert.ok(description === undefined || typeof description === 'string');
  if (type === 'object') {
    assert.equal(additionalProperties, false);
    assert.deepEqual([...(required as string[])].sort(), Object.keys(properties as object).sort());
    for (const inner of Object.values(properties as object)) assertStrict(inner);
  }
  assertStrict(items);
  if (Array.isArray(anyOf)) for (const inner of anyOf) assertStrict(inner);
}
