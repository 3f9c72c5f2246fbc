import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type ToolCallItem, turnsOf } from '../../../src/core/conversation.ts';
import { mappingOf } from '../../../src/core/data/data.ts';
import type { RunOptions } from '../../../src/runner/runOptions.ts';
import { turnlight } from '../../support/commandLine.ts';
import { load, placed, suiteWith } from '../../support/evalFiles.ts';
import { type Fault, resultOf, startMcpService } from '../../support/mcp/service.ts';
import { type Script, startModelServer } from '../../support/modelServer/server.ts';
import { runFiles, workspaceWith } from '../../support/runs.ts';
import { answerJson, beginEvents } from '../../support/service.ts';

const SERVER = fileURLToPath(new URL('../../support/mcp/server.mjs', import.meta.url));

/** The configuration of a server over stdio, as JSON. */
function program(fault = 'none', tools: readonly string[] = []): string {
  const words = [process.execPath, SERVER, fault, ...tools];
  return JSON.stringify({ command: words });
}

/** A model that calls a tool once, and then repeats the result. */
const calling =
  (name: string, given: unknown = { order: 7 }): Script =>
  (body) =>
    body.messages.at(-1)?.role === 'user'
      ? { toolCalls: [{ name, arguments: given }] }
      : `It says ${body.messages.at(-1)?.content}`;

interface Setup {
  readonly servers?: string;
  readonly keys?: string;
  readonly turns?: string;
  readonly check?: string;
  readonly options?: Partial<RunOptions>;
}

async function ran(
  t: TestContext,
  script: Script,
  { servers, keys = '', turns = '[Hi]', check = '{type: contains, value: says}', options }: Setup,
) {
  const server = await startModelServer(script);
  t.after(() => server.close());
  const model = `{provider: openai, model: m, base_url: "${server.baseUrl}"}`;
  const suite = `target: {type: chat, model: ${model}, mcp_servers: ${servers ?? `{shop: ${program()}}`}${keys}}
cases:
  - {id: a, turns: ${turns}, assert: [${check}]}
`;
  const log: string[] = [];
  const onEvent: RunOptions['onEvent'] = (event) => {
    if (event.kind === 'output') log.push(event.text);
  };
  const { lines } = await runFiles(t, { 'suite.eval.yaml': suite }, { onEvent, ...options });
  const [line] = lines;
  const calls = (line ? turnsOf(line.conversation) : []).flatMap(({ items }) =>
    items.filter((item): item is ToolCallItem => item.kind === 'tool-call'),
  );
  return {
    status: line?.status,
    reason: line?.reason ?? '',
    line,
    log,
    calls: calls.map(({ call: { name }, result }) => [name, result]),
    asked: server.requests.map(({ body }) => body),
  };
}

describe('an MCP server over stdio', () => {
  it('offers its tools to the model, and answers their calls', async (t) => {
    const { status, calls, asked, line } = await ran(t, calling('find'), {});
    assert.equal(status, 'pass');
    assert.deepEqual(calls, [['find', 'find {"order":7}, call 1']]);
    const sent = asked[0]?.tools as { function: { name: string } }[] | undefined;
    assert.deepEqual(
      sent?.map((one) => one.function.name),
      ['find', 'cancel', 'fail'],
    );
    assert.deepEqual(
      line?.facts?.tools.map(({ name, server }) => [name, server]),
      [
        ['find', 'shop'],
        ['cancel', 'shop'],
        ['fail', 'shop'],
      ],
    );
  });

  it('serves one conversation, and keeps its state', async (t) => {
    const { calls } = await ran(t, calling('find', {}), { turns: '[Hi, Again]' });
    assert.deepEqual(calls, [
      ['find', 'find {}, call 1'],
      ['find', 'find {}, call 2'],
    ]);
  });

  it('tells the model about errors of tools', async (t) => {
    const failed = await ran(t, calling('fail'), {});
    assert.deepEqual(failed.calls, [['fail', 'Error: no such order']]);
    const wrong = await ran(t, calling('find', [7]), {});
    assert.deepEqual(wrong.calls, [['find', 'Error: The arguments must be a JSON object.']]);
  });

  it('can offer other tools during the conversation', async (t) => {
    const script: Script = ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'user') return { toolCalls: [{ name: 'grow', arguments: {} }] };
      const isGrown = String(last?.content).startsWith('grow');
      return isGrown
        ? { toolCalls: [{ name: 'later', arguments: {} }] }
        : `It says ${last?.content}`;
    };
    const servers = `{shop: ${program('none', ['grow'])}}`;
    const { status, calls, asked, line } = await ran(t, script, { servers });
    assert.equal(status, 'pass');
    assert.deepEqual(calls.at(-1), ['later', 'later {}, call 2']);
    const counts = asked.map(({ tools }) => (tools as unknown[] | undefined)?.length);
    assert.deepEqual(counts, [1, 2, 2]);
    assert.equal(line?.facts?.tools.length, 2);
  });

  it('gets its variables, but not the keys of models', async (t) => {
    process.env.OPENAI_API_KEY = 'key-of-the-test';
    t.after(() => {
      delete process.env.OPENAI_API_KEY;
    });
    const words = JSON.stringify([process.execPath, SERVER, 'none', 'env']);
    const servers = `{shop: {command: ${words}, env: {MODE: test}}}`;
    const { calls } = await ran(t, calling('env'), { servers });
    assert.deepEqual(calls, [['env', 'test undefined']]);
  });

  it('is not asked for results that are scripted, or for calls that are refused', async (t) => {
    const scripted = await ran(t, calling('cancel'), { keys: ', tool_results: {cancel: gone}' });
    assert.deepEqual(scripted.calls, [['cancel', 'gone']]);
    const refused = await ran(t, calling('cancel'), { keys: ', approve: {cancel: refuse}' });
    assert.deepEqual(refused.calls, [['cancel', 'The user refused this call.']]);
  });

  it('can answer tools that the target or the case lists', async (t) => {
    const tools = ', tools: [{name: find, description: Finds.}]';
    const { calls, asked } = await ran(t, calling('find'), { keys: tools });
    assert.deepEqual(calls, [['find', 'find {"order":7}, call 1']]);
    assert.equal((asked[0]?.tools as unknown[] | undefined)?.length, 3);
    const lost = await ran(t, calling('find'), { keys: ', tools: [{name: lost}]' });
    assert.match(lost.reason, /"chat" has no answer for calls of the tool lost/);
  });

  it('is not needed by a replay', async (t) => {
    const recording = join(await workspaceWith(t, {}), 'recording.jsonl');
    const { line, calls } = await ran(t, calling('find'), { options: { record: recording } });
    const replayed = await ran(t, () => 'No', { options: { replay: recording } });
    assert.equal(replayed.status, 'pass');
    assert.deepEqual(replayed.asked, []);
    assert.deepEqual(replayed.calls, calls);
    assert.deepEqual(replayed.line?.facts, line?.facts);
  });
});

describe('a faulty MCP server', () => {
  const NOT_READY = /: The MCP server "shop" was not ready within 1500 ms\./;
  const faults: readonly (readonly [fault: string, reason: RegExp])[] = [
    [
      'dies at startup',
      /: The MCP server "shop" failed\. The program exited with code 3 before it replied\. Last output: no database/,
    ],
    ['hangs at startup', NOT_READY],
    [
      'prints a banner',
      /: The MCP server "shop" failed\. The program printed a line that is not JSON: Listening for messages\. Log to stderr instead\./,
    ],
    ['prints deep JSON', /: The MCP server "shop" failed\. The program printed a line that is not/],
    [
      'prints an endless line',
      /: The MCP server "shop" failed\. The reply is longer than 1,000,000 characters\./,
    ],
    ['lies about its version', /: The MCP server "shop" .*1999-01-01/],
    [
      'lies about its tools',
      /: The MCP server "shop" gave no valid answer to tools\/list: tools: /,
    ],
    ['has endless tools', /: The MCP server "shop" offers too much/],
    ['has a huge schema', /: The MCP server "shop" offers too much/],
    [
      'dies in a call',
      /: The MCP server "shop" failed\. The program exited with code 4 before it replied\. Last output: out of memory/,
    ],
    [
      'hangs in a call',
      /: The MCP server "shop" was still running find after 1500 ms, the time limit of the reply\./,
    ],
    ['answers something else', /: The MCP server "shop" was still running find after 1500 ms/],
    [
      'lies about a result',
      /: The MCP server "shop" gave no valid answer to tools\/call of find: content: /,
    ],
    [
      'has a huge result',
      /: The MCP server "shop" failed\. The reply is longer than 1,000,000 characters\./,
    ],
  ];
  for (const [fault, reason] of faults) {
    it(`that ${fault} makes its case an error that names it`, async (t) => {
      const servers = `{shop: ${program(fault)}}`;
      const keys = ', timeout: 1500';
      const result = await ran(t, calling('find'), { servers, keys });
      assert.equal(result.status, 'error');
      assert.match(result.reason, reason);
    });
  }

  it('that does not exist is an error, too', async (t) => {
    const servers = '{shop: {command: [no-such-program]}}';
    const { reason } = await ran(t, calling('find'), { servers });
    assert.match(reason, /: The MCP server "shop" failed\. The program no-such-program could not/);
  });
});

describe('an MCP server over HTTP', () => {
  const at = (url: string, more = '') => `{shop: {url: "${url}"${more}}}`;

  for (const streams of [false, true]) {
    const how = streams ? 'a stream' : 'one piece';
    it(`answers calls in ${how}, in a session that ends with the conversation`, async (t) => {
      const { url, requests } = await startMcpService(t, { streams });
      const servers = at(url, ', headers: {authorization: "Bearer secret-token"}');
      const { status, calls, line } = await ran(t, calling('find'), { servers });
      assert.equal(status, 'pass');
      assert.deepEqual(calls, [['find', 'found {"order":7}']]);
      assert.deepEqual(
        requests.map(({ method, body }) => mappingOf(body).method ?? method),
        ['initialize', 'notifications/initialized', 'tools/list', 'tools/call', 'DELETE'],
      );
      for (const { headers } of requests) {
        assert.equal(headers.authorization, 'Bearer secret-token');
      }
      assert.doesNotMatch(JSON.stringify(line), /secret-token/);
    });
  }

  it('occupies no place in the queue of its endpoint once it has answered', async (t) => {
    const { url } = await startMcpService(t);
    const model = await startModelServer(calling('find'));
    t.after(() => model.close());
    const suite = `target: {type: chat, model: {provider: openai, model: m, base_url: "${model.baseUrl}"}, mcp_servers: ${at(url)}, timeout: 10000}
cases:
  - {id: a, repeat: 3, turns: [Hi], assert: [{type: contains, value: says}]}
`;
    const { lines } = await runFiles(t, { 'suite.eval.yaml': suite }, { concurrency: 1 });
    assert.deepEqual(
      lines.map(({ status }) => status),
      ['pass', 'pass', 'pass'],
    );
  });

  const HANGING: readonly (readonly [what: string, fault: Fault])[] = [
    ['never answers', () => {}],
    [
      'answers in a stream that never ends',
      (response) => {
        beginEvents(response);
        const timer = setInterval(() => response.write(': wait\n\n'), 50);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ];
  const huge = { content: [{ type: 'text', text: 'x'.repeat(17_000_000) }] };
  const FAULTY: readonly (readonly [what: string, fault: Fault, reason: RegExp])[] = [
    [
      'sends too much in a stream',
      (response, id) => {
        beginEvents(response)(resultOf(id, huge));
        response.end();
      },
      /failed\. http:\/\/127\.0\.0\.1:\d+\/chat sent more than 16,000,000 bytes/,
    ],
    [
      'sends too much at once',
      (response, id) => answerJson(response, resultOf(id, huge)),
      /failed\. http:\/\/127\.0\.0\.1:\d+\/chat sent more than 16,000,000 bytes/,
    ],
    [
      'sends deep JSON',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('['.repeat(1_000));
      },
      /failed\. The response from http:\/\/127\.0\.0\.1:\d+\/chat is nested too deep/,
    ],
    [
      'breaks off',
      (response) => {
        beginEvents(response)('{"jsonrpc"');
        setTimeout(() => response.destroy(), 50);
      },
      /failed\. http:\/\/127\.0\.0\.1:\d+\/chat ended the connection/,
    ],
    [
      'answers with HTML',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      /gave no valid answer to tools\/call of find: .*text\/html/,
    ],
    [
      'refuses the key',
      (response) => answerJson(response, 'who are you?', 401),
      /failed\. http:\/\/127\.0\.0\.1:\d+\/chat answered 401 \("who are you\?"\)/,
    ],
    [
      'redirects',
      (response) => response.writeHead(307, { location: 'https://evil.example.com/' }).end(),
      /failed\. .* redirects to https:\/\/evil\.example\.com\/, where nothing was sent/,
    ],
  ];
  const cases = [
    ...HANGING.map((one) => [...one, /was still running find after 1500 ms/, 1_500] as const),
    ...FAULTY.map((one) => [...one, 20_000] as const),
  ];
  for (const [what, fault, reason, timeout] of cases) {
    it(`that ${what} makes its case an error that names it`, async (t) => {
      const { url } = await startMcpService(t, { fault });
      const keys = `, timeout: ${timeout}`;
      const result = await ran(t, calling('find'), { servers: at(url), keys });
      assert.equal(result.status, 'error');
      assert.match(result.reason, /: The MCP server "shop" /);
      assert.match(result.reason, reason);
    });
  }

  it('gets no secret for a forbidden host, even without a check before', async (t) => {
    const secret = { SHOP_TOKEN: 'a-secret-token' };
    const env = (name: string) => (name === 'SHOP_TOKEN' ? secret.SHOP_TOKEN : undefined);
    const more = `, headers: {authorization: "\${env:SHOP_TOKEN}"}`;
    const servers = at('https://mcp.example.com/mcp', more);
    const { status, reason, asked } = await ran(t, calling('find'), { servers, options: { env } });
    assert.equal(status, 'error');
    assert.match(reason, /wants to send SHOP_TOKEN to mcp\.example\.com/);
    assert.deepEqual(asked, []);
  });

  it('gets a secret only after consent, and the model never does', async (t) => {
    const suite = `target:
  type: chat
  model: "openai:m"
  mcp_servers:
    shop: {url: "https://mcp.example.com/mcp", headers: {authorization: "\${env:SHOP_TOKEN}"}}
cases:
  - {id: a, turns: [Hi], assert: [{type: contains, value: Hi}]}
`;
    const folder = await workspaceWith(t, { 'suite.eval.yaml': suite });
    const keys = { OPENAI_API_KEY: 'key-of-openai', SHOP_TOKEN: 'a-secret-token' };
    const { code, err } = await turnlight(folder, ['run'], keys);
    assert.equal(code, 3);
    assert.match(err, /wants to send SHOP_TOKEN to mcp\.example\.com/);
    assert.doesNotMatch(err, /to api\.openai\.com/);
  });
});

describe('tools of several MCP servers', () => {
  const two = `{a: ${program('none', ['find', 'order.cancel'])}, b: ${program('none', ['find'])}}`;

  it('have the names of their servers if they share a name, and names that endpoints accept', async (t) => {
    const { calls, line } = await ran(t, calling('b_find'), { servers: two });
    assert.deepEqual(
      line?.facts?.tools.map(({ name, server }) => [name, server]),
      [
        ['a_find', 'a'],
        ['order_cancel', 'a'],
        ['b_find', 'b'],
      ],
    );
    assert.deepEqual(calls, [['b_find', 'find {"order":7}, call 1']]);
    const own = await ran(t, calling('order_cancel'), { servers: two });
    assert.deepEqual(own.calls, [['order_cancel', 'order.cancel {"order":7}, call 1']]);
  });

  it('are in the order of the file, whichever server starts first', async (t) => {
    const servers = `{a: ${program('starts slowly', ['one'])}, b: ${program('none', ['two'])}}`;
    const { line } = await ran(t, calling('two'), { servers });
    assert.deepEqual(
      line?.facts?.tools.map(({ name }) => name),
      ['one', 'two'],
    );
  });

  it('must have different names', async (t) => {
    const servers = `{a: ${program('none', ['find', 'find'])}}`;
    const { reason } = await ran(t, calling('find'), { servers });
    assert.match(reason, /The MCP server "a" offers the tool "find", which the model would call/);
  });

  it('keep their approvals if a name becomes shared', async (t) => {
    const servers = `{a: ${program('none', ['grow'])}, b: ${program('none', ['later'])}}`;
    const keys = ', approve: {later: refuse}';
    const { reason } = await ran(t, calling('grow'), { servers, keys });
    assert.match(reason, /`approve` of "chat" names the tool later, which nothing offers/);
  });

  it('must include those that `approve` and `tool_results` name', async (t) => {
    for (const keys of [', approve: {find: refuse}', ', tool_results: {find: x}']) {
      const { status, reason } = await ran(t, calling('b_find'), { servers: two, keys });
      assert.equal(status, 'error');
      assert.match(reason, /names the tool find, which nothing offers\. Its tools: a_find/);
    }
  });
});

describe('`mcp_servers`', () => {
  const problems = async (server: string) => {
    const target = `{type: chat, model: "openai:m", mcp_servers: {shop: ${server}}}`;
    const loaded = await load(suiteWith(`turns: [Hi]\ntarget: ${target}\nassert: [It is kind.]`));
    return placed(loaded).map((one, index) => `${one} ${loaded.problems[index]?.message}`);
  };

  it('are enough for assertions about tools', async () => {
    const target = '{type: chat, model: "openai:m", mcp_servers: {shop: {command: [node]}}}';
    for (const type of ['tool-use', 'mcp-use', 'mcp-task-completion']) {
      const keys = (of: string) => `turns: [Hi]\ntarget: ${of}\nassert: [{type: ${type}}]`;
      assert.deepEqual(placed(await load(suiteWith(keys(target)))), []);
      const without = await load(suiteWith(keys('{type: chat, model: "openai:m"}')));
      assert.deepEqual(placed(without), ['5:15 missing-need']);
    }
  });

  it('with an invalid variable are an error', async () => {
    const target = `{type: chat, model: "openai:m", mcp_servers: {shop: {url: "\${env:SHOP}"}}}`;
    const keys = `turns: [Hi]\ntarget: ${target}\nassert: [It is kind.]`;
    const loaded = await load(suiteWith(keys), {}, { env: () => 'no address' });
    assert.deepEqual(placed(loaded), ['4:71 bad-variable']);
  });

  it('need a command or an address', async () => {
    assert.deepEqual(await problems('{command: [node, server.mjs]}'), []);
    assert.deepEqual(await problems('{url: "https://mcp.example.com/mcp"}'), []);
    assert.deepEqual(await problems('{comand: [node]}'), [
      '4:66 unknown-key Unknown key "comand". Did you mean "command"?',
    ]);
    assert.deepEqual(await problems('{}'), ['4:59 missing-key Missing key "command".']);
    assert.deepEqual(await problems('{url: mcp.example.com}'), [
      '4:71 wrong-value Expected an address that starts with http:// or https://.',
    ]);
  });
});
