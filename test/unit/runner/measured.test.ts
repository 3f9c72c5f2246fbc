import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unauthorized } from '../../support/modelServer/faults.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
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

describe('what failed', () => {
  it('is counted as asked: each request to a judge and to a target, whatever came of it', async (t) => {
    const server = await startModelServer(() => unauthorized());
    t.after(() => server.close());
    const model = (name: string) =>
      `{provider: openai, model: ${name}, base_url: "${server.baseUrl}", api_key_env: KEY}`;
    const cases = Array.from(
      { length: 4 },
      (_one, index) =>
        `  - {id: j${index}, transcript: [{user: Hi}, {assistant: Hello}], assert: [It is kind.]}\n`,
    );
    const { lines } = await runFiles(t, {
      'suite.eval.yaml': `judge: ${model('judge')}\ntarget: {type: chat, model: ${model('bot')}}\ncases:\n${cases.join('')}  - {id: live, turns: [x], assert: [It is kind.]}\n`,
    });
    assert.deepEqual(
      lines.map(({ status, usage }) => [status, usage.calls]),
      lines.map(() => ['error', 1]),
    );
    assert.equal(server.requests.length, 5);
  });
});
