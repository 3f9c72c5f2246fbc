import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ToolCallItem } from '../../../src/core/conversation.ts';
import { thoughtItem } from '../../support/modelServer/response.ts';
import { type Script, startModelServer } from '../../support/modelServer/server.ts';
import { runFiles } from '../../support/runs.ts';

const LOOKUP = '{name: lookup, description: Finds an order., parameters: {type: object}}';

/** A model that calls a tool once, and then repeats the result. */
const calling =
  (name: string, given: unknown = { order: 7 }): Script =>
  (body) =>
    body.messages.at(-1)?.role === 'user'
      ? { toolCalls: [{ name, arguments: given }] }
      : `It says ${body.messages.at(-1)?.content}`;

const sent = (tool: object) => ({ type: 'function', function: tool });

/** Runs one turn with a chat target that has the given keys. */
async function ran(
  t: TestContext,
  script: Script,
  keys: string,
  {
    top = '',
    check = '{type: contains, value: says}',
    files = {},
    modelKeys = '',
    turns = '[Hi]',
  }: {
    top?: string;
    check?: string;
    files?: Readonly<Record<string, string>>;
    modelKeys?: string;
    turns?: string;
  } = {},
) {
  const server = await startModelServer(script);
  t.after(() => server.close());
  const suite = `${top}targets:
  bot: {type: chat, model: {provider: openai, model: m, base_url: "${server.baseUrl}"${modelKeys}}, ${keys}}
target: bot
cases:
  - {id: a, turns: ${turns}, context: {shop: Oslo}, assert: [${check}]}
`;
  const { lines } = await runFiles(t, { ...files, 'suite.eval.yaml': suite });
  const [line] = lines;
  const calls = (line?.conversation.entries ?? []).flatMap((entry) =>
    entry.kind === 'turn'
      ? entry.items.filter((item): item is ToolCallItem => item.kind === 'tool-call')
      : [],
  );
  return {
    status: line?.status,
    reason: line?.reason ?? '',
    results: calls.map(({ result }) => result),
    asked: server.requests.map(({ body }) => body),
  };
}

describe('the tools of a chat target', () => {
  it('are sent, its own before those of the case', async (t) => {
    const top = 'tools: [{name: other}]\n';
    const own = `tools: [${LOOKUP}], tool_results: {lookup: shipped}`;
    const { asked, status, results } = await ran(t, calling('lookup'), own, { top });
    assert.equal(status, 'pass');
    assert.deepEqual(results, ['shipped']);
    assert.deepEqual(asked[0]?.tools, [
      sent({ name: 'lookup', description: 'Finds an order.', parameters: { type: 'object' } }),
    ]);
    const inherited = await ran(t, () => 'It says', 'tool_results: {other: x}', { top });
    assert.deepEqual(inherited.asked[0]?.tools, [sent({ name: 'other' })]);
  });

  it('in the wrapper of OpenAI are sent correctly', async (t) => {
    const own = 'tools: [{type: function, function: {name: lookup}}], tool_results: {lookup: x}';
    const { asked } = await ran(t, () => 'It says', own);
    assert.deepEqual(asked[0]?.tools, [sent({ name: 'lookup' })]);
  });

  it('can be called, so that forbidden calls can fail', async (t) => {
    const own = `tools: [${LOOKUP}], tool_results: {lookup: shipped}`;
    const check = '{type: tool-not-called, name: lookup}';
    const { status } = await ran(t, calling('lookup'), own, { check });
    assert.equal(status, 'fail');
  });

  it('are available to assertions about tools', async (t) => {
    const own = `tools: [${LOOKUP}], tool_results: {lookup: shipped}`;
    const check = '{type: script, path: ./tools.mjs}';
    const files = { 'tools.mjs': 'export default ({ tools }) => tools[0].name === "lookup";\n' };
    const { status } = await ran(t, () => 'Hi', own, { check, files });
    assert.equal(status, 'pass');
  });
});

describe('a chat target that uses Responses', () => {
  it('gets its reasoning back between rounds of tool calls, but not in the next turn', async (t) => {
    const keys = `tools: [${LOOKUP}], tool_results: {lookup: shipped}`;
    const { asked, status, results } = await ran(
      t,
      [
        { thought: 'one', toolCalls: [{ id: 'a', name: 'lookup', arguments: {} }] },
        { thought: 'two', toolCalls: [{ id: 'b', name: 'lookup', arguments: {} }] },
        'It says shipped.',
        'It says goodbye.',
      ],
      keys,
      { modelKeys: ', api: responses', turns: '[Hi, Bye]' },
    );
    assert.equal(status, 'pass');
    assert.deepEqual(results, ['shipped', 'shipped']);
    const call = (id: string) => ({
      type: 'function_call',
      call_id: id,
      name: 'lookup',
      arguments: '{}',
    });
    const result = (id: string) => ({
      type: 'function_call_output',
      call_id: id,
      output: 'shipped',
    });
    const hi = { role: 'user', content: 'Hi' };
    const first = [call('a'), result('a')];
    const second = [call('b'), result('b')];
    assert.deepEqual(
      asked.map(({ input }) => input),
      [
        [hi],
        [hi, thoughtItem('one'), ...first],
        [hi, thoughtItem('one'), ...first, thoughtItem('two'), ...second],
        [
          hi,
          ...first,
          ...second,
          { role: 'assistant', content: 'It says shipped.' },
          { role: 'user', content: 'Bye' },
        ],
      ],
    );
  });
});

describe('functions that answer tools', () => {
  const own = (more = '') => `tools: [${LOOKUP}], tool_module: ./tools.mjs${more}`;
  const withTools = (code: string) => ({ files: { 'tools.mjs': code } });

  it('get the arguments, the case, and its context; the model gets their result', async (t) => {
    const code =
      'export const lookup = async ({ order }, { case: id, context, signal }) => ({ order, id, context, signal: typeof signal });\n';
    const { results, reason } = await ran(t, calling('lookup'), own(), withTools(code));
    assert.equal(reason, '');
    assert.deepEqual(JSON.parse(results[0] ?? ''), {
      order: 7,
      id: 'a',
      context: { shop: 'Oslo' },
      signal: 'object',
    });
  });

  it('may be in an object, under names that no export can have', async (t) => {
    const code = 'export default { "look-up": () => "found" };\n';
    const keys = 'tools: [{name: look-up}], tool_module: ./tools.mjs';
    const { results } = await ran(t, calling('look-up'), keys, withTools(code));
    assert.deepEqual(results, ['found']);
  });

  it('keep their state between calls of a conversation', async (t) => {
    const code = 'let count = 0;\nexport const lookup = () => "call " + (count += 1);\n';
    const script: Script = (body, index) =>
      index < 3
        ? { toolCalls: [{ id: `c${index}`, name: 'lookup', arguments: {} }] }
        : `It says ${body.messages.at(-1)?.content}`;
    const { results } = await ran(t, script, own(), withTools(code));
    assert.deepEqual(results, ['call 1', 'call 2', 'call 3']);
  });

  it("answer calls that aren't scripted", async (t) => {
    const code = 'export const lookup = () => "of the function";\n';
    const scripted = (order: number) =>
      own(`, tool_results: {lookup: [{args: {order: ${order}}, result: of the script}]}`);
    const results = async (order: number) =>
      (await ran(t, calling('lookup'), scripted(order), withTools(code))).results;
    assert.deepEqual(await results(7), ['of the script']);
    assert.deepEqual(await results(8), ['of the function']);
  });

  for (const [what, code, name, reason, requests] of [
    [
      'that are missing',
      'export const other = () => 1;',
      'lookup',
      /^The target failed: .*no function for the tool lookup\. It exports: other/,
      0,
    ],
    ['that do not load', 'nonsense(', 'lookup', /^The target failed: .*could not be loaded/, 0],
    [
      'that were not offered',
      'export const lookup = () => 1; export const secret = () => 2;',
      'secret',
      /^The target failed: "[^"]+" has no answer for the call secret/,
      1,
    ],
  ] as const) {
    it(`${what} are an error, ${requests === 0 ? 'before' : 'once'} a model is paid`, async (t) => {
      const told = await ran(t, calling(name), own(), withTools(`${code}\n`));
      assert.equal(told.status, 'error');
      assert.match(told.reason, reason);
      assert.equal(told.asked.length, requests);
    });
  }

  it('that throw give the model the error as their result', async (t) => {
    const code = 'export const lookup = () => { throw new Error("no luck"); };\n';
    const told = await ran(t, calling('lookup'), own(), withTools(code));
    assert.equal(told.status, 'pass', told.reason);
    const result = told.asked[1]?.messages.find(({ role }) => role === 'tool');
    assert.equal(result?.content, 'Error: no luck');
  });

  it('are not called with invalid JSON', async (t) => {
    const code = 'export const lookup = () => "x";\n';
    const { reason } = await ran(t, calling('lookup', '{"order":'), own(), withTools(code));
    assert.match(reason, /^target-malformed-reply: .*not JSON/);
  });
});

describe('rounds of tool calls', () => {
  const always: Script = () => ({ toolCalls: [{ name: 'lookup', arguments: {} }] });
  const keys = (more = '') => `tools: [${LOOKUP}], tool_results: {lookup: x}${more}`;

  for (const [more, rounds] of [
    ['', 10],
    [', max_tool_rounds: 2', 2],
  ] as const) {
    it(`are at most ${rounds}${more}`, async (t) => {
      const { reason, asked } = await ran(t, always, keys(more));
      assert.match(reason, new RegExp(`^The target failed: .* more than ${rounds} times`));
      assert.equal(asked.length, rounds + 1);
    });
  }
});
