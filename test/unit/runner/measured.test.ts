import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { botSuite, runFiles } from '../../support/runs.ts';

const LIMITS = 'assert: [{type: max-tokens, max: 50}, {type: max-cost, max: 0.5}]';

async function statuses(t: Parameters<typeof runFiles>[0], usage: string) {
  const bot = `export default (messages) => {
    const first = messages.filter(({ role }) => role === 'user').length === 1;
    return { messages: [{ role: 'assistant', content: 'Hi' }], ${usage} };
  };`;
  const { lines } = await runFiles(t, {
    'bot.mjs': bot,
    'suite.eval.yaml': botSuite(`  - {id: a, turns: [x, y], ${LIMITS}}\n`),
  });
  return lines[0]?.verdicts.map(({ status }) => status);
}

describe('limits of what a target uses', () => {
  it('hold where every reply says what it used', async (t) => {
    const usage = 'usage: { input_tokens: 10, output_tokens: 5, cost: 0.1 }';
    assert.deepEqual(await statuses(t, usage), ['pass', 'pass']);
  });

  it('are errors where one reply does not, never a pass', async (t) => {
    const usage = '...(first && { usage: { input_tokens: 10, output_tokens: 5, cost: 0.1 } })';
    assert.deepEqual(await statuses(t, usage), ['error', 'error']);
  });

  it('of the cost are an error where one reply does not know its own', async (t) => {
    const usage = 'usage: { input_tokens: 10, output_tokens: 5, ...(first && { cost: 0.1 }) }';
    assert.deepEqual(await statuses(t, usage), ['pass', 'error']);
  });
});
