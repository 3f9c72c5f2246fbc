import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deepFreeze } from '../../../src/core/data/data.ts';
import { readMessages } from '../../../src/messages/readMessages.ts';
import { countRaw, countRead, record } from '../../support/countMessages.ts';
import { realJson, realLines } from '../../support/realData.ts';

/** Reads a list and checks that nothing was lost. */
function readsWhole(list: readonly unknown[], what: string): void {
  const read = readMessages(deepFreeze(list));
  assert.deepEqual(read.problems, [], what);
  assert.deepEqual(countRead(read), countRaw(list), what);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

const codesOf = (list: unknown) => [
  ...new Set(readMessages(deepFreeze(list)).problems.map(({ code }) => code)),
];

describe('real conversations, read with nothing lost', () => {
  const responses = realLines('openai-responses/recorded-bodies.sample.jsonl');
  it('OpenAI: requests to Responses and Chat Completions', { skip: responses.skip }, () => {
    let whole = 0;
    for (const line of responses.lines()) {
      for (const interaction of listOf(record(line).interactions)) {
        const request = record(record(interaction).request);
        const list = listOf(request.input ?? request.messages);
        if (list.length > 1) {
          readsWhole(list, String(record(line).cassette));
          whole += 1;
        } else {
          // The first request in an exchange contains only the question.
          assert.deepEqual(codesOf(list), ['no-assistant-message']);
        }
      }
    }
    assert.equal(whole, 14);
  });

  it('OpenAI: replies of Responses', { skip: responses.skip }, () => {
    let outputs = 0;
    for (const line of responses.lines()) {
      for (const interaction of listOf(record(line).interactions)) {
        const { request, response } = record(interaction);
        const done = /^data: (\{"type":"response\.completed".*)$/m.exec(String(response))?.[1];
        if (done === undefined) continue;
        const { output } = record(record(JSON.parse(done)).response);
        readsWhole([...listOf(record(request).input), ...listOf(output)], 'a streamed answer');
        outputs += 1;
      }
    }
    assert.equal(outputs, 3);
  });

  const airline = realLines('tau-bench/gpt-4o-airline.sample.jsonl');
  it('tau-bench', { skip: airline.skip }, () => {
    for (const line of airline.lines()) readsWhole(listOf(record(line).messages), 'tau-bench');
  });

  const trajectories = realLines('agentevals/trajectory-match.sample.jsonl');
  it('agentevals, except messages without roles', { skip: trajectories.skip }, () => {
    const told = new Map<string, number>();
    for (const line of trajectories.lines()) {
      for (const key of ['outputs', 'reference_outputs']) {
        const list = listOf(record(line)[key]);
        const codes = codesOf(list).join(', ');
        told.set(codes, (told.get(codes) ?? 0) + 1);
        if (codes === '') readsWhole(list, String(record(line).test));
      }
    }
    assert.deepEqual(Object.fromEntries(told), { '': 48, 'missing-role': 8 });
  });

  const azure = realLines('azure-evaluators/malformed-inputs.sample.jsonl');
  it("Azure's agents: a query and its response", { skip: azure.skip }, () => {
    let whole = 0;
    for (const line of azure.lines()) {
      const { expected, label, input } = record(line);
      const { query, response } = record(input);
      if (!Array.isArray(query) || !Array.isArray(response)) continue;
      const list = [...query, ...response];
      const { problems } = readMessages(deepFreeze(list));
      if (problems.length === 0) {
        readsWhole(list, String(label));
        whole += 1;
      }
      const about = /^(Query|Response) (Missing|Invalid|Empty|Wrong)/.exec(String(label));
      if (!about || OTHER_RULE.includes(String(label))) continue;
      assert.ok(problems.length > 0, `${label}: refused by Azure as ${expected}, read here`);
      assert.ok(
        problems.every(({ path }) => path.length > 0 || list.length < 2 || query.length === 0),
      );
    }
    assert.ok(whole > 30, String(whole));
  });

  const lists = realLines('azure-evaluators/message-lists.sample.jsonl');
  it("Azure's validator: lists of messages", { skip: lists.skip }, () => {
    let whole = 0;
    for (const line of lists.lines()) {
      const { value, test } = record(line);
      const { problems } = readMessages(deepFreeze(value));
      const refused = problems.length > 0;
      if (/rejects|raises_error/.test(String(test))) assert.ok(refused, String(test));
      if (refused || !Array.isArray(value)) continue;
      readsWhole(value, String(test));
      whole += 1;
    }
    assert.ok(whole > 35, String(whole));
  });

  const chinese = realJson('crosswoz-zh/test.first15.json');
  it('CrossWOZ, in Chinese', { skip: chinese.skip }, () => {
    const roles: Readonly<Record<string, string>> = { usr: 'user', sys: 'assistant' };
    for (const dialogue of listOf(chinese.json())) {
      const given = listOf(record(listOf(dialogue)[1]).messages).map(record);
      assert.deepEqual(codesOf(given), ['unknown-role']);
      const list = given.map((message) => ({ ...message, role: roles[String(message.role)] }));
      readsWhole(list, 'CrossWOZ');
    }
  });

  const casino = realJson('casino/valid.first10.json');
  it('CaSiNo, with emoji', { skip: casino.skip }, () => {
    for (const dialogue of listOf(casino.json())) {
      const list = listOf(record(dialogue).chat_logs).map((message) => {
        const { id, text } = record(message);
        return id === 'mturk_agent_1' ? { user: text } : { assistant: text };
      });
      const { messages, problems } = readMessages(list);
      assert.deepEqual(problems, []);
      assert.deepEqual(
        messages.map(({ message }) => message.content),
        list.map((message) => message.user ?? message.assistant),
      );
    }
  });
});

/**
 * Cases that other rules apply to: here, arguments are optional, shorthands and all kinds of results are read, and
 * queries can be fixed.
 */
const OTHER_RULE = [
  'Response Missing arguments Parameter in Content',
  'Response Invalid tool_result Parameter in Content',
  'Query Invalid Format',
];
