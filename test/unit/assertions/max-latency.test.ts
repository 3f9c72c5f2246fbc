import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { maxLatency } from '../../../src/assertions/types/max-latency.ts';
import { type SourcedMessage, toConversation } from '../../../src/core/conversation.ts';
import { findingOf, outcomeOf, statuses } from '../../support/deterministic.ts';
import { runFiles } from '../../support/runs.ts';
import { answerJson, beginEvents, startService } from '../../support/service.ts';

const USER: SourcedMessage = { message: { role: 'user', content: 'Hi' } };

/** A reply with tool calls and their latencies. */
function reply(
  calls: readonly (readonly [name: string, latency?: number])[],
  facts: Omit<SourcedMessage, 'message'> = {},
): SourcedMessage[] {
  const toolCalls = calls.map(([name, latency], index) => ({
    id: `c${index}`,
    name,
    arguments: {},
    ...(latency !== undefined && { latency }),
  }));
  return [USER, { message: { role: 'assistant', content: 'Yes.', toolCalls }, ...facts }];
}

describe('max-latency of a tool', () => {
  it('compares the slowest call of each turn, and skips turns without calls', async () => {
    const conversation = toConversation([
      ...reply([
        ['find', 100],
        ['find', 700],
        ['other', 9_000],
      ]),
      ...reply([['find', 300]]),
      ...reply([['other', 9_000]]),
    ]);
    const found = await findingOf(maxLatency, { max: 500, of: { tool: 'find' } }, conversation);
    assert.deepEqual(statuses(found), ['2 fail', '4 pass', '6 skipped']);
    assert.equal(found.score, 0.5);
    assert.equal(found.value, 700);
  });

  it('is an error if a call was not measured, or if there is none', async () => {
    const of = { tool: 'find' };
    const some = toConversation([...reply([['find', 100]]), ...reply([['find']])]);
    await assert.rejects(outcomeOf(maxLatency, { max: 500, of }, some), /turn 4 wasn't measured/);
    const none = toConversation(reply([['other', 1]]));
    await assert.rejects(outcomeOf(maxLatency, { max: 500, of }, none), /No call of the tool/);
  });
});

describe('max-latency of the first token', () => {
  it('compares the time until the text of each turn begins', async () => {
    const conversation = toConversation([
      ...reply([], { firstToken: 200.1, latency: 9_000 }),
      ...reply([], { firstToken: 500 }),
    ]);
    const found = await findingOf(maxLatency, { max: 200, of: 'first-token' }, conversation);
    assert.deepEqual(statuses(found), ['2 fail', '4 fail']);
    assert.equal(found.value, 500);
  });

  it('is an error if it was not measured, or may be missing from an incomplete trace', async () => {
    const of = 'first-token';
    const plain = toConversation(reply([], { latency: 100 }));
    await assert.rejects(outcomeOf(maxLatency, { max: 1, of }, plain), /wasn't measured/);
    const cut = toConversation([
      ...reply([], { firstToken: 1 }),
      ...reply([], { traceFault: 'No spans arrived.' }),
    ]);
    await assert.rejects(outcomeOf(maxLatency, { max: 9, of }, cut), /turn 4 is incomplete/);
  });

  it('is measured in a streamed reply, and unknown in one that arrives whole', async (t) => {
    const { url } = await startService(t, async (request, response) => {
      if (JSON.stringify(request.body).includes('whole')) return answerJson(response, 'Yes.');
      const send = beginEvents(response);
      send('Ye');
      await setTimeout(1_000);
      send('s.');
      response.end();
    });
    const { lines } = await runFiles(t, {
      'suite.eval.yaml': `targets:
  bot: {type: http, url: "${url}"}
target: bot
defaults: {assert: [{type: max-latency, of: first-token, max: 100000}]}
cases: [{id: streamed, turns: [Hi]}, {id: whole, turns: [whole]}]
`,
    });
    const statusOf = (id: string) => lines.find((line) => line.id === id)?.status;
    assert.deepEqual([statusOf('streamed'), statusOf('whole')], ['pass', 'error']);
    const turns = lines.flatMap(({ conversation }) => conversation.entries);
    const timed = turns.find((turn) => turn.kind === 'turn' && turn.firstToken !== undefined);
    assert.ok(timed?.kind === 'turn' && timed.latency !== undefined);
    // Both pieces can be read late, but hardly by a second.
    assert.ok((timed.firstToken ?? 0) < timed.latency);
  });
});
