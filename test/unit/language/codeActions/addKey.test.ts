import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertionTypes } from '../../../../src/assertions/registry.ts';
import { load, suiteWith, TRANSCRIPT } from '../../../support/evalFiles.ts';
import { actionsOf, applied, codesOf, fixed } from '../../../support/language/codeActions.ts';

const CHAT = 'transcript: [{user: Hi}, {assistant: Hello}]\n';
const one = (assertion: string) => suiteWith(`${CHAT}assert:\n  - ${assertion}`);

describe('adding a key that is missing', () => {
  for (const [what, key, code, before, after] of [
    [
      'behind the last key of a block, comments kept',
      'value',
      'missing-key',
      one('type: contains # why\n    # not yet'),
      one('type: contains # why\n    value: text\n    # not yet'),
    ],
    [
      'within braces',
      'value',
      'missing-key',
      one('{ type: contains, name: x } # why'),
      one('{ type: contains, name: x, value: text } # why'),
    ],
    [
      'behind a block of text',
      'criterion',
      'missing-key',
      one('type: criterion\n    name: >-\n      long\n      name\n'),
      one(
        'type: criterion\n    name: >-\n      long\n      name\n    criterion: The assistant answers the question.\n',
      ),
    ],
    [
      'an id that is free',
      'id',
      'missing-key',
      `${suiteWith(TRANSCRIPT, '').replace('one', 'case-1')}  - ${TRANSCRIPT.replace('\n', '\n    ')}\n`,
      `${suiteWith(TRANSCRIPT, '').replace('one', 'case-1')}  - ${TRANSCRIPT.replace('\n', '\n    ')}\n    id: case-2\n`,
    ],
    [
      'what an assertion needs of its case',
      'topics',
      'missing-need',
      one('type: topic-adherence'),
      `${one('type: topic-adherence')}    topics: [orders]\n`,
    ],
    [
      'what an assertion needs of its case',
      'role',
      'missing-need',
      one('type: role-adherence'),
      `${one('type: role-adherence')}    role: A friendly support agent\n`,
    ],
    [
      'where a service has what an assertion needs to see',
      'tool_calls',
      'not-reported',
      suiteWith(
        'turns: [Hi]\nassert:\n  - type: tool-not-called',
        'targets:\n  bot: { type: http, url: "http://localhost:1" }\ntarget: bot\n',
      ),
      suiteWith(
        'turns: [Hi]\nassert:\n  - type: tool-not-called',
        'targets:\n  bot: { type: http, url: "http://localhost:1", tool_calls: /tool_calls }\ntarget: bot\n',
      ),
    ],
    [
      'what the defaults need of the file',
      'tools',
      'missing-need',
      suiteWith(CHAT.trim(), 'defaults: {assert: [{type: tool-use}]}\n'),
      suiteWith(
        CHAT.trim(),
        'tools: [{ name: look_up }]\ndefaults: {assert: [{type: tool-use}]}\n',
      ),
    ],
    [
      'a conversation',
      'transcript',
      'turns-or-transcript',
      suiteWith('assert: [x]'),
      suiteWith('assert: [x]\ntranscript: [{ user: Hello }, { assistant: Hello }]'),
    ],
    [
      'to answer the turns, by its name',
      'target',
      'missing-target',
      suiteWith('turns: [Hi]\nassert: [x]', 'targets: {bot: {type: module, path: ./bot.mjs}}\n'),
      suiteWith(
        'turns: [Hi]\nassert: [x]\ntarget: bot',
        'targets: {bot: {type: module, path: ./bot.mjs}}\n',
      ),
    ],
    [
      'to a file without any',
      'cases',
      'no-cases',
      'name: x # mine\n',
      'name: x # mine\ncases: [{ id: case-1, transcript: [{ user: Hello }, { assistant: Hello }], assert: [The assistant greets the user.] }]\n',
    ],
    [
      'something to check',
      'assert',
      'no-assertion',
      suiteWith(CHAT),
      suiteWith(`${CHAT}assert: [The assistant answers the question.]`),
    ],
    [
      'the model of a chat target',
      'model',
      'missing-key',
      suiteWith('turns: [Hi]\nassert: [x]\ntarget: { type: chat }'),
      suiteWith('turns: [Hi]\nassert: [x]\ntarget: { type: chat, model: openai:gpt-5-mini }'),
    ],
    [
      'the target of a variant that sets nothing',
      'target',
      'empty-variant',
      suiteWith(
        'turns: [Hi]\nassert: [x]\ntarget: bot\nvariants: { a: {}, b: { model: openai:n } }',
        'targets: {bot: {type: chat, model: openai:m}}\n',
      ),
      suiteWith(
        'turns: [Hi]\nassert: [x]\ntarget: bot\nvariants: { a: { target: bot }, b: { model: openai:n } }',
        'targets: {bot: {type: chat, model: openai:m}}\n',
      ),
    ],
    [
      'results of tools that nothing answers',
      'tool_results',
      'unanswered-tool',
      suiteWith(
        'turns: [Hi]\nassert: [x]\ntarget: { type: chat, model: openai:m, tools: [{ name: a }] }',
      ),
      suiteWith(
        'turns: [Hi]\nassert: [x]\ntarget: { type: chat, model: openai:m, tools: [{ name: a }], tool_results: { a: text } }',
      ),
    ],
    [
      'the result of a tool that nothing answers',
      'b',
      'unanswered-tool',
      suiteWith(
        'turns: [Hi]\nassert: [x]\ntarget: { type: chat, model: openai:m, tool_results: { a: x } }',
        'tools: [{ name: b }]\n',
      ),
      suiteWith(
        'turns: [Hi]\nassert: [x]\ntarget: { type: chat, model: openai:m, tool_results: { a: x, b: text } }',
        'tools: [{ name: b }]\n',
      ),
    ],
    [
      'the words of a judge',
      'instructions',
      'prompt-or-instructions',
      one('type: llm-judge'),
      one(
        'type: llm-judge\n    instructions: Does the assistant answer the question? {{conversation}}',
      ),
    ],
  ] as const) {
    it(`adds ${key} ${what}`, async () => {
      // The text after the last line can end with one more line break.
      const mended = await fixed(before, `Add "${key}"`, code);
      assert.equal(mended.replace(/\n+$/, '\n'), after.replace(/\n+$/, '\n'));
    });
  }

  it('keeps the line ends', async () => {
    const before = one('type: contains').replaceAll('\n', '\r\n');
    const after = await fixed(before, 'Add "value"', 'missing-key');
    assert.equal(after, one('type: contains\n    value: text').replaceAll('\n', '\r\n'));
  });

  for (const { type } of assertionTypes) {
    it(`has a valid value for every required key of ${type}`, async () => {
      let text = one(`type: ${type}`);
      for (const { code, fix } of (await load(text)).problems) {
        if (code !== 'missing-key') continue;
        const title = `Add "${fix?.add?.key}"`;
        const action = (await actionsOf(text)).find((offered) => offered.title === title);
        text = applied(text, action)['suite.eval.yaml'] ?? '';
      }
      const codes = await codesOf(text);
      const schema = ['missing-key', 'wrong-type', 'wrong-value', 'unknown-key', 'out-of-range'];
      assert.deepEqual(
        codes.filter((code) => schema.includes(code)),
        [],
        text,
      );
    });
  }
});
