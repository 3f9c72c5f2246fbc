import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownAnswers } from '../../scripts/examples/knownAnswers.ts';
import { exchangeKey, type ModelExchangeRequest } from '../../src/models/exchange.ts';
import type { ChatBody } from '../support/modelServer/chatBody.ts';

const DATES = 'Be strict.\n| When is it sent?\nDoes it promise dates?';
const NAMES = 'Be strict.\n| When is it sent?\nDoes it use names?';

function recording(...answers: readonly (readonly [asked: string, text: string])[]): string {
  const lines = answers.map(([content, text]) => {
    const request: ModelExchangeRequest = {
      model: 'judge',
      messages: [{ role: 'user', content }],
      answer: { name: 'criteria', schema: {} },
    };
    const usage = { calls: 1, input_tokens: 1, cached_tokens: 0, output_tokens: 1, cost: null };
    const reply = { text, toolCalls: [], finish: 'stop', usage };
    return JSON.stringify({ kind: 'model', key: exchangeKey(request), request, reply });
  });
  return lines.join('\n');
}

function asking(content: string, name = 'criteria'): ChatBody {
  return {
    model: 'judge',
    messages: [{ role: 'user', content }],
    response_format: { type: 'json_schema', json_schema: { name, schema: {} } },
  };
}

test('a reworded request gets the answer to the recorded request most like it', () => {
  const answers = new KnownAnswers(recording([DATES, 'dates'], [NAMES, 'names']), 'a.jsonl', []);
  const reworded = (text: string) => asking(text.replace('Be strict.', 'Be fair.'));
  assert.equal(answers.answer(reworded(NAMES)).text, 'names');
  assert.equal(answers.answer(reworded(DATES)).text, 'dates');
  assert.deepEqual(answers.unasked(), []);
});

test('answers to one request are given in their order, each once', () => {
  const answers = new KnownAnswers(recording([DATES, 'first'], [DATES, 'second']), 'a.jsonl', []);
  assert.equal(answers.answer(asking(DATES)).text, 'first');
  assert.deepEqual(answers.unasked(), [{ text: 'second' }]);
  assert.equal(answers.answer(asking(DATES)).text, 'second');
  assert.throws(() => answers.answer(asking(DATES)), /No answer is left to criteria/);
});

test('a written answer replaces the recorded one, and answers what is not recorded', () => {
  const written = [
    { question: 'criteria', about: ['dates'], answer: { met: true } },
    { question: 'safety', about: [], answer: { safe: true } },
  ];
  const answers = new KnownAnswers(recording([DATES, 'dates'], [NAMES, 'names']), '', written);
  assert.equal(answers.answer(asking(DATES)).text, '{"met":true}');
  assert.equal(answers.answer(asking(NAMES)).text, 'names');
  assert.equal(answers.answer(asking(NAMES, 'safety')).text, '{"safe":true}');
  assert.deepEqual(answers.unasked(), []);
});
