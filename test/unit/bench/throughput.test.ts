import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { startEndpoint } from '../../../bench/throughput/endpoint.ts';
import { promptsOf } from '../../../bench/throughput/prompts.ts';

const LONG = 'word '.repeat(1_500);

function asked(came: number, answered: number) {
  const body = { model: 'bench', messages: [{ role: 'user', content: LONG }] };
  return { body, came, answered };
}

test('a request is served by what was answered before it came, not by what was under way', () => {
  const [first, beside, after] = [asked(1, 3), asked(2, 4), asked(5, 6)];
  assert.equal(promptsOf([first, beside]).cacheable, 0);
  assert.equal(promptsOf([first, beside, after]).cacheable, 1_024);
  // Requests are listed in the order of their answers.
  assert.equal(promptsOf([asked(4, 5), asked(1, 3)]).cacheable, 1_024);
});

async function answerTo(t: TestContext, more: object, content: string): Promise<string> {
  const endpoint = await startEndpoint(0);
  t.after(() => endpoint.close());
  const messages = [{ role: 'user', content }];
  const response = await fetch(`${endpoint.baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'bench', messages, ...more }),
  });
  const text = await response.text();
  assert.equal(endpoint.drain().requests.length, 1);
  return text;
}

test('the endpoint streams to who asks for that, and judges for who asks for JSON', async (t) => {
  const reply = JSON.parse(await answerTo(t, {}, 'Where is it?'));
  assert.match(reply.choices[0].message.content, /on its way/);
  const verdict = JSON.parse(await answerTo(t, {}, 'Answer with a JSON object.'));
  assert.equal(JSON.parse(verdict.choices[0].message.content).score, 1);
  const streamed = await answerTo(t, { stream: true }, 'Where is it?');
  assert.match(
    streamed,
    /^data: \{.*on its way.*\n\ndata: .*"stop".*\n\ndata: .*\n\ndata: \[DONE\]/,
  );
});
