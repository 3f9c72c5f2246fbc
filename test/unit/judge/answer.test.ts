import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answerSchema } from '../../../src/assertions/answerSchema.ts';
import { extractJson } from '../../../src/judge/answer.ts';
import { judgeRequest } from '../../../src/judge/ask.ts';
import { judgedTurns, questionsOfAllTypes } from '../../support/questions.ts';

describe('extractJson', () => {
  const rows: [string, string, unknown][] = [
    ['plain', '{"a": 1}', { a: 1 }],
    ['a code fence', '```json\n{"a": 1}\n```', { a: 1 }],
    ['words around it', 'Here it is: {"a": 1}. Bye', { a: 1 }],
    ['braces in the words before it', 'As {asked}: {"a": 1}', { a: 1 }],
    ['braces in the words after it', '{"a": 1} I hope {this} helps', { a: 1 }],
    ['braces and quotes inside texts', 'x {"a": "}\\"{"} y', { a: '}"{' }],
    ['the first of two', '{"a": 1} {"a": 2}', { a: 1 }],
    ['no object', 'No, it did not.', undefined],
    ['a bare text', '"No"', undefined],
    ['an object that breaks off', '{"a": [1, 2', undefined],
    ['nothing', '', undefined],
  ];
  for (const [name, text, expected] of rows) {
    it(`reads ${name}`, () => assert.deepEqual(extractJson(text), expected));
  }

  it('ends on a text of braces alone', () => {
    assert.equal(extractJson('{'.repeat(200_000)), undefined);
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
