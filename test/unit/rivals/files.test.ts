import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toConversation, turnsOf } from '../../../src/core/conversation.ts';
import { deepFreeze } from '../../../src/core/data/data.ts';
import { conversationBlock } from '../../../src/judge/conversationBlock.ts';
import { readMessages } from '../../../src/messages/readMessages.ts';
import { load, placed, suiteWith, TRANSCRIPT } from '../../support/evalFiles.ts';

const BOT = 'targets:\n  bot: {type: module, path: ./bot.mjs}\ntarget: bot\n';

describe('what other tools let pass in a file', () => {
  it('`asertions:` inside a turn: an error at its place, with the right key', async () => {
    const text = suiteWith('turns:\n  - user: Hi\n    asertions: [x]\nassert: [y]', BOT);
    const loaded = await load(text);
    assert.deepEqual(placed(loaded), ['8:9 unknown-key']);
    assert.match(loaded.problems[0]?.message ?? '', /Did you mean "assert"\?/);
  });

  it('`asserts:` at the top: an error at its place', async () => {
    const loaded = await load(suiteWith(TRANSCRIPT, 'asserts: [x]\n'));
    assert.deepEqual(placed(loaded), ['1:1 unknown-key']);
    assert.equal(loaded.suite, undefined);
  });

  it('an unknown assertion type: an error at its place', async () => {
    const text = suiteWith(
      'transcript: [{user: Hi}, {assistant: x}]\nassert: [{type: llm-rubric}]',
    );
    assert.deepEqual(placed(await load(text)), ['4:21 unknown-type']);
  });

  it('a prompt file that is not there: an error, and its path never becomes the criterion', async () => {
    const text = suiteWith(
      'transcript: [{user: Hi}, {assistant: x}]\nassert: [{type: llm-judge, prompt: judges/x.md}]',
    );
    const loaded = await load(text);
    assert.deepEqual(placed(loaded), ['4:40 file-missing']);
    assert.equal(loaded.suite, undefined);
  });

  it('a case with no check: refused', async () => {
    const loaded = await load(suiteWith('transcript: [{user: Hi}, {assistant: x}]'));
    assert.deepEqual(placed(loaded), ['2:5 no-assertion']);
    assert.equal(loaded.suite, undefined);
  });
});

describe('messages that other evaluators lose, scramble or crash on', () => {
  const turns = (list: unknown[]) => {
    const { messages, problems } = readMessages(list);
    assert.deepEqual(problems, []);
    return turnsOf(toConversation(messages));
  };

  it('the assistant speaks first: the order is kept', () => {
    const found = turns([{ assistant: 'Welcome!' }, { user: 'Hi' }, { assistant: 'Hello' }]);
    assert.deepEqual(
      found.map(({ side }) => side),
      ['assistant', 'user', 'assistant'],
    );
  });

  it('several system messages: all are kept, at their places', () => {
    const { messages } = readMessages([
      { system: 'one' },
      { user: 'Hi' },
      { developer: 'two' },
      { assistant: 'Hello' },
    ]);
    const block = conversationBlock(toConversation(messages));
    const places = ['| one', '| Hi', '| two', '| Hello'].map((text) => block.indexOf(text));
    assert.deepEqual(
      [...places].sort((a, b) => a - b),
      places,
    );
    assert.ok(places.every((place) => place >= 0));
  });

  it('JSON-string arguments, content null and string tool content: accepted', () => {
    const call = { id: 'a', function: { name: 'f', arguments: '{"x":1}' } };
    const found = turns([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: 'text' },
      { role: 'assistant', content: 'done' },
    ]);
    assert.deepEqual(
      found[1]?.items.map(({ kind }) => kind),
      ['tool-call', 'text'],
    );
  });

  it('a result without a matching call: refused with its place, not dropped', () => {
    const { problems } = readMessages([
      { user: 'Hi' },
      { role: 'tool', tool_call_id: 'q', content: 'x' },
      { assistant: 'y' },
    ]);
    assert.deepEqual(
      problems.map(({ code, path }) => [code, path[0]]),
      [['unmatched-result', 1]],
    );
  });

  it('a result by `call_id`: joins its call, not dropped', () => {
    const found = turns([
      { user: 'Hi' },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: 'done' },
      { assistant: 'Done.' },
    ]);
    const [call] = found[1]?.items ?? [];
    assert.equal(call?.kind === 'tool-call' && call.result, 'done');
  });

  it("the caller's messages: never changed, also where a dialect is rewritten", () => {
    const list = deepFreeze([
      { user: 'Hi' },
      {
        role: 'assistant',
        content: [{ type: 'openapi_call', tool_call_id: 'a', name: 'f', arguments: '{"x":1}' }],
      },
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [{ type: 'openapi_call_output', openapi_call_output: { y: 2 } }],
      },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
    ]);
    assert.equal(turns(list).length, 2);
  });

  it('MCP approvals: listed in the notes, not dropped', () => {
    const { notes, problems } = readMessages([
      { user: 'Hi' },
      { role: 'assistant', content: [{ type: 'mcp_approval_request', id: 'r', name: 'f' }] },
      { role: 'tool', content: [{ type: 'mcp_approval_response', id: 'r', approved: true }] },
      { assistant: 'Done.' },
    ]);
    assert.deepEqual([problems, notes.length], [[], 2]);
  });

  it('a user message without content: refused with its place, not dropped', () => {
    const { problems } = readMessages([{ role: 'user' }, { assistant: 'y' }]);
    assert.deepEqual(
      problems.map(({ code, path }) => [code, path[0]]),
      [['missing-content', 0]],
    );
  });

  it('text after a tool call: stays after it', () => {
    const call = { id: 'a', function: { name: 'f' } };
    const found = turns([
      { user: 'Hi' },
      { assistant: 'before', tool_calls: [call] },
      { tool: 'result' },
      { assistant: 'after' },
    ]);
    assert.deepEqual(
      found[1]?.items.map((item) => ('text' in item ? item.text : item.kind)),
      ['before', 'tool-call', 'after'],
    );
  });

  it('a template variable that nobody supplies: noticed', async () => {
    const text = suiteWith(`turns: ["Hi {{name}}"]\nassert: [y]`, BOT);
    assert.deepEqual(placed(await load(text)), ['6:17 unknown-variable']);
  });
});
