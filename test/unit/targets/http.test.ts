import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { LIMITS } from '../../../src/core/limits.ts';
import { SILENT } from '../../../src/core/logger.ts';
import type { Message } from '../../../src/core/message.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { Endpoints } from '../../../src/models/endpoint/endpoints.ts';
import { httpTarget } from '../../../src/targets/http.ts';
import { Programs } from '../../../src/targets/programs/programs.ts';
import type { TargetHost } from '../../../src/targets/target.ts';
import { CERTIFICATE, PRIVATE_KEY } from '../../support/selfSigned.ts';
import { answerJson, beginEvents, type Serve, startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const HI = [user('Hi')];

interface Setup {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly about?: Partial<TargetHost>;
}

function open(url: string, { params = {}, about = {} }: Setup = {}) {
  return httpTarget.open(
    { name: 'agent', type: 'http', params: { type: 'http', url, ...params }, folder: '/' },
    {
      caseId: 'a',
      conversationId: 'conversation-1',
      repetition: 1,
      context: { tier: 'gold', tags: ['a', 'b'], evil: '", "admin": true, "x": "' },
      tools: [],
      timeout: 5_000,
      workspace: '/',
      env: () => undefined,
      keyVariables: [],
      endpoints: new Endpoints(SILENT),
      programs: new Programs(SILENT, new Scrubber()),
      scrubber: new Scrubber(),
      log: SILENT,
      ...about,
    },
  );
}

const { signal } = new AbortController();

/** Starts a service and asks it for one reply. Returns both. */
async function ask(t: TestContext, serve: Serve, params: Setup['params'] = {}) {
  const { url, requests } = await startService(t, serve);
  const session = await open(url, { params });
  const heard: string[] = [];
  const reply = await session.reply(HI, signal, (text) => heard.push(text));
  return { reply, requests, heard };
}

const replyOf = async (t: TestContext, answer: unknown, params: Setup['params'] = {}) =>
  (await ask(t, (_request, response) => answerJson(response, answer), params)).reply.messages;

function failing(t: TestContext, serve: Serve, setup: Setup, reason: string, message: RegExp) {
  return assert.rejects(
    async () => {
      const { url } = await startService(t, serve);
      await (await open(url, setup)).reply(HI, signal);
    },
    { reason, message },
  );
}

describe('the request of an http target', () => {
  const ok = (_request: unknown, response: ServerResponse) => answerJson(response, 'ok');

  it('is the conversation if `body` is not set', async (t) => {
    const { requests } = await ask(t, ok);
    const [{ method, path, headers, body } = assert.fail()] = requests;
    assert.deepEqual(
      [method, path, headers['content-type']],
      ['POST', '/chat', 'application/json'],
    );
    assert.deepEqual(body, { messages: [{ role: 'user', content: 'Hi' }] });
  });

  it('fills in the variables of a mapping; a single variable keeps its type', async (t) => {
    const body = {
      say: 'They said: {{message}}',
      turns: '{{ messages }}',
      about: { tags: '{{context.tags}}', line: '{{context.tier}}/{{context.tags}}' },
      count: 3,
    };
    const { requests } = await ask(t, ok, { body, method: 'PUT' });
    assert.equal(requests[0]?.method, 'PUT');
    assert.deepEqual(requests[0]?.body, {
      say: 'They said: Hi',
      turns: [{ role: 'user', content: 'Hi' }],
      about: { tags: ['a', 'b'], line: 'gold/["a","b"]' },
      count: 3,
    });
  });

  for (const [what, body] of [
    ['a mapping', { q: '<{{message}}>', t: '{{context.evil}}' }],
    ['JSON as text', '{"q": "<{{message}}>", "t": {{context.evil}}}'],
    ['JSON as text, within its strings', '{"q": "<{{message}}>", "t": "{{context.evil}}"}'],
  ] as const) {
    it(`can't be broken by a message in ${what}`, async (t) => {
      const said = 'a "quote", \\ and\n{"admin": true} {{context.tier}} \u2028 \ud800';
      const { url, requests } = await startService(t, ok);
      await (await open(url, { params: { body } })).reply([user(said)], signal);
      assert.deepEqual(Object.keys(Object(requests[0]?.body)), ['q', 't']);
      const { q, t: evil } = Object(requests[0]?.body);
      assert.equal(q, `<${said}>`);
      assert.equal(evil, '", "admin": true, "x": "');
    });
  }

  it('is not built if the variables of its body become too long', async (t) => {
    const body = Array.from({ length: 300 }, () => '{{message}}');
    const { url, requests } = await startService(t, ok);
    const said = [user('x'.repeat(LIMITS.filledCase / 200))];
    const session = await open(url, { params: { body } });
    await assert.rejects(session.reply(said, signal), /The body is too large.* 30,000,000 char/);
    assert.equal(requests.length, 0);
  });

  it('contains its headers, which replace the default ones', async (t) => {
    const headers = { 'X-Team': 'evals', 'Content-Type': 'application/vnd.api+json' };
    const { requests } = await ask(t, ok, { headers });
    assert.equal(requests[0]?.headers['x-team'], 'evals');
    assert.equal(requests[0]?.headers['content-type'], 'application/vnd.api+json');
  });

  it("contains Turnlight's session, one per conversation", async (t) => {
    const { url, requests } = await startService(t, ok);
    const params = { body: { id: '{{session}}' } };
    const [one, other] = [
      await open(url, { params, about: { conversationId: 'one' } }),
      await open(url, { params, about: { conversationId: 'other' } }),
    ];
    for (const session of [one, one, other]) await session.reply(HI, signal);
    const ids = requests.map(({ body }) => Object(body).id);
    assert.deepEqual(ids, ['one', 'one', 'other']);
  });

  it("contains the service's session once the service has returned one", async (t) => {
    const { url, requests } = await startService(t, ({ body }, response) =>
      answerJson(response, { text: 'ok', meta: { id: Object(body).id ?? 77 } }),
    );
    const params = { body: { id: '{{session}}' }, reply: '/text', session: '/meta/id' };
    const session = await open(url, { params });
    for (let turn = 0; turn < 3; turn += 1) await session.reply(HI, signal);
    assert.deepEqual(
      requests.map(({ body }) => Object(body).id),
      [null, '77', '77'],
    );
  });
});

describe('the answer to an http target', () => {
  it('may be text, or any reply of a program, if `reply` is not set', async (t) => {
    assert.deepEqual(await replyOf(t, 'Hello'), [assistant('Hello')]);
    assert.deepEqual(await replyOf(t, { content: 'Hello' }), [assistant('Hello')]);
    const plain = await ask(t, (_request, response) => response.end('Hello there'));
    assert.deepEqual(plain.reply.messages, [assistant('Hello there')]);
  });

  it('is at `reply`: text, a message, or messages', async (t) => {
    const answer = {
      'a/b': [{ text: 'Hello' }],
      message: { role: 'assistant', content: 'Hello' },
      all: [{ role: 'assistant', content: 'Hello' }],
    };
    for (const reply of ['/a~1b/0/text', '/message', '/all']) {
      assert.deepEqual(await replyOf(t, answer, { reply }), [assistant('Hello')], reply);
    }
  });

  it('includes retrieved texts', async (t) => {
    const answer = { text: 'Hello', docs: ['One.', { id: 2 }] };
    assert.deepEqual(await replyOf(t, answer, { reply: '/text', retrieval_context: '/docs' }), [
      { ...assistant('Hello'), retrievalContext: ['One.', '{"id":2}'] },
    ]);
  });

  it('is assembled from events, and streamed', async (t) => {
    const { reply, heard } = await ask(
      t,
      async (_request, response) => {
        const send = beginEvents(response);
        response.write(': a comment\n\n');
        send({ choices: [{ delta: { role: 'assistant' } }], docs: ['One.'] });
        for (const content of ['Good ', 'day', '!']) {
          send({ choices: [{ delta: { content } }] });
          await new Promise((done) => setTimeout(done, 20));
        }
        send('[DONE]');
        response.end();
      },
      { reply: '/choices/0/delta/content', retrieval_context: '/docs' },
    );
    assert.deepEqual(reply.messages, [{ ...assistant('Good day!'), retrievalContext: ['One.'] }]);
    assert.deepEqual(heard, ['Good ', 'Good day', 'Good day!']);
  });

  it('is assembled from events that are text, however they are split', async (t) => {
    const bytes = Buffer.from('data: Grüße 👋\r\n\r\ndata: , \ndata: du');
    const { reply } = await ask(t, async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await new Promise((done) => setImmediate(done));
      }
      response.end();
    });
    assert.deepEqual(reply.messages, [assistant('Grüße 👋, \ndu')]);
  });

  const answers =
    (answer: unknown): Serve =>
    (_request, response) =>
      answerJson(response, answer);
  const events =
    (...all: readonly (readonly [unknown, string?])[]): Serve =>
    (_request, response) => {
      const send = beginEvents(response);
      for (const [data, event] of all) send(data, event);
      response.end();
    };

  for (const [what, serve, params, words] of [
    [
      'has nothing at `reply`',
      answers({ a: 1 }),
      { reply: '/b' },
      /nothing at `reply` \(\/b\).*"a":1/,
    ],
    ['is not a reply', answers({ a: 1 }), {}, /A reply must be.* Set `reply` to where its text is/],
    ['speaks as the user', answers([{ assistant: 'x' }, { user: 'x' }]), {}, /user message/],
    [
      'names no session',
      answers({ b: 'x' }),
      { reply: '/b', session: '/id' },
      /no text at `session`/,
    ],
    [
      'has something else at `retrieval_context`',
      answers({ b: 'x', d: 3 }),
      { reply: '/b', retrieval_context: '/d' },
      /list of texts.*was: 3/,
    ],
    ['is nested too deep', (_r, response) => response.end('['.repeat(100_000)), {}, /too deep/],
    ['has events without text', events([{ a: 1 }]), { reply: '/b' }, /No event has text.*"a":1/],
    ['has no events', events(), {}, /There were no events/],
    ['has events in JSON, and `reply` is not set', events([{ a: 1 }]), {}, /Set `reply`.*"a":1/],
    [
      'has numbers instead of text',
      events([{ b: 1 }]),
      { reply: '/b' },
      /Expected text at `reply`/,
    ],
    [
      'ends in an error',
      events(['Hel'], ['out of memory', 'error']),
      {},
      /sent an error: out of memory/,
    ],
  ] as const satisfies readonly (readonly [string, Serve, object, RegExp])[]) {
    it(`is an error if the answer ${what}`, (t) => {
      const reason = what === 'names no session' ? 'target-error' : 'target-malformed-reply';
      return failing(t, serve, { params }, reason, words);
    });
  }
});

describe('a service that fails', () => {
  const status = (code: number, headers: Record<string, string> = {}): Serve => {
    return (_request, response) => {
      response.writeHead(code, { 'retry-after-ms': '1', ...headers });
      response.end('Sorry, \u001b[31mno.');
    };
  };

  it('gets another request after the time in Retry-After, if that may help', async (t) => {
    const failures = [429, 503, 500];
    const { requests, reply } = await ask(t, (request, response, index) => {
      const code = failures[index];
      if (code === undefined) answerJson(response, 'At last');
      else status(code)(request, response, index);
    });
    assert.deepEqual([requests.length, reply.messages], [4, [assistant('At last')]]);
  });

  it('gets another request after a lost connection', async (t) => {
    const { requests } = await ask(t, (_request, response, index) => {
      if (index === 0) response.socket?.resetAndDestroy();
      else answerJson(response, 'ok');
    });
    assert.equal(requests.length, 2);
  });

  for (const [code, words] of [
    [400, /answered 400 \(Sorry, .*no\.\)\. Check the target's `body`/],
    [401, /answered 401.*`headers`/],
    [404, /answered 404.*`url`/],
    [500, /answered 500.*even after retries/],
  ] as const) {
    it(`is reported with advice after ${code}`, (t) =>
      failing(t, status(code), {}, 'target-error', words));
  }

  it('is not waited for beyond the time limit', (t) =>
    failing(
      t,
      status(503, { 'retry-after-ms': '', 'retry-after': '86400' }),
      {},
      'target-error',
      /asked clients to wait/,
    ));

  it('never redirects Turnlight to another host', async (t) => {
    const elsewhere = await startService(t, (_request, response) => answerJson(response, 'stolen'));
    await failing(t, status(307, { location: elsewhere.url }), {}, 'target-error', /redirects to/);
    assert.equal(elsewhere.requests.length, 0);
  });

  it('ends at the time limit if it streams forever', async (t) => {
    let open = true;
    await failing(
      t,
      async (_request, response) => {
        const send = beginEvents(response);
        response.on('close', () => {
          open = false;
        });
        while (open) {
          send('more ');
          await new Promise((done) => setTimeout(done, 5));
        }
      },
      { params: { timeout: 200 } },
      'target-timeout',
      /within 200 ms/,
    );
    await until(
      'the connection is closed',
      async () => open,
      (one) => !one,
    );
  });

  it('ends at the size limit', (t) =>
    failing(
      t,
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const chunk = `data: ${'x'.repeat(60_000)}\n\n`;
        const pour = () => {
          while (!response.destroyed && response.write(chunk));
          if (!response.destroyed) response.once('drain', pour);
        };
        pour();
      },
      {},
      'target-too-much-output',
      /longer than 1,000,000 characters/,
    ));

  it('may have at most 250,000 events', (t) =>
    failing(
      t,
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end('data: {}\n\n'.repeat(250_001));
      },
      { params: { reply: '/text' } },
      'target-too-much-output',
      /more than 250,000 events/,
    ));

  it('is reported if it does not answer', async () => {
    const session = await open('http://127.0.0.1:9/chat', { params: { timeout: 900 } });
    await assert.rejects(session.reply(HI, signal), {
      reason: 'target-error',
      message: /127\.0\.0\.1:9\/chat cannot be reached .*`url`/,
    });
  });

  it('is reported after one request if its certificate is not trusted', async (t) => {
    let asked = 0;
    const server = createTlsServer({ key: PRIVATE_KEY, cert: CERTIFICATE }).on(
      'tlsClientError',
      () => {
        asked += 1;
      },
    );
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const session = await open(`https://localhost:${port}/chat`);
    await assert.rejects(session.reply(HI, signal), {
      reason: 'target-error',
      message: /self-signed certificate.*NODE_EXTRA_CA_CERTS/,
    });
    assert.ok(asked <= 1, `${asked}`);
  });

  it('is reported if it does not speak TLS', async (t) => {
    const { url } = await startService(t, (_request, response) => answerJson(response, 'ok'));
    const session = await open(url.replace('http:', 'https:'));
    await assert.rejects(session.reply(HI, signal), { message: /does not speak TLS/ });
  });

  it('never shows a secret, even if it repeats one', async (t) => {
    const about = { scrubber: new Scrubber({ AGENT_TOKEN: 'token-0123456789' }) };
    const echo: Serve = (_request, response) => {
      response.writeHead(401).end('Bad token-0123456789.');
    };
    await failing(t, echo, { about }, 'target-error', /Bad \[hidden: AGENT_TOKEN\]/);
  });
});

describe('what a service reports besides its reply', () => {
  const pointers = { reply: '/text', tool_calls: '/trace/calls', usage: '/usage' };
  const CALL = { id: 'c1', type: 'function', function: { name: 'refund', arguments: '{"id":7}' } };
  const called = {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'c1', name: 'refund', arguments: { id: 7 } }],
  };

  it('is read at its pointers', async (t) => {
    const answer = {
      text: 'Done.',
      trace: { calls: [CALL] },
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    };
    const { reply } = await ask(t, (_request, response) => answerJson(response, answer), pointers);
    assert.deepEqual(reply.messages, [called, assistant('Done.')]);
    assert.deepEqual([reply.usage?.input_tokens, reply.usage?.output_tokens], [3, 2]);
  });

  it('may be missing, or may be the whole answer', async (t) => {
    assert.deepEqual(await replyOf(t, { text: 'Done.', trace: {} }, pointers), [
      assistant('Done.'),
    ]);
    assert.deepEqual(await replyOf(t, { text: 'Done.', trace: null }, pointers), [
      assistant('Done.'),
    ]);
    assert.deepEqual(await replyOf(t, { text: null, trace: { calls: [CALL] } }, pointers), [
      called,
    ]);
    assert.deepEqual(await replyOf(t, { text: '', trace: { calls: [CALL] } }, pointers), [called]);
  });

  for (const [what, answer, message] of [
    [
      'a pointer that leads nowhere',
      { text: 'Done.' },
      /path of `tool_calls` \(\/trace\/calls\) does not exist/,
    ],
    [
      'something that is not a call',
      { text: 'Done.', trace: { calls: [7] } },
      /`tool_calls` \(\/trace\/calls\) can't be read/,
    ],
    [
      'something that is not usage',
      { text: 'Done.', trace: {}, usage: { total: 3 } },
      /`usage` \(\/usage\) can't be read/,
    ],
    ['neither text nor calls', { text: null, trace: {} }, /nothing at `reply`/],
  ] as const) {
    it(`is an error with ${what}`, (t) =>
      failing(
        t,
        (_request, response) => answerJson(response, answer),
        { params: pointers },
        'target-malformed-reply',
        message,
      ));
  }

  it("is assembled from OpenAI's events", async (t) => {
    const delta = (part: object) => ({ choices: [{ delta: part }] });
    const piece = (index: number, given: string, more: object = {}) =>
      delta({
        tool_calls: [
          {
            index,
            ...more,
            function: { arguments: given, ...('id' in more && { name: 'refund' }) },
          },
        ],
      });
    const { reply } = await ask(
      t,
      (_request, response) => {
        const send = beginEvents(response);
        send(piece(0, '{"id"', { id: 'c1' }));
        send(piece(0, ':7}'));
        send(piece(1, '{}', { id: 'c2' }));
        send(delta({ content: 'Done.' }));
        send({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } });
        response.end('data: [DONE]\n\n');
      },
      {
        reply: '/choices/0/delta/content',
        tool_calls: '/choices/0/delta/tool_calls',
        usage: '/usage',
      },
    );
    assert.deepEqual(reply.messages, [
      called,
      { role: 'assistant', content: '', toolCalls: [{ id: 'c2', name: 'refund', arguments: {} }] },
      assistant('Done.'),
    ]);
    assert.equal(reply.usage?.input_tokens, 3);
  });

  it('is assembled from events with whole calls, and is an error if no event can contain calls', async (t) => {
    const serve: Serve = (_request, response) => {
      const send = beginEvents(response);
      send({ call: { id: 'c1', name: 'refund', args: { id: 7 } } });
      send({ call: { type: 'tool_result', id: 'c1', result: 'ok' } });
      send({ text: 'Done.' });
      response.end();
    };
    const { reply } = await ask(t, serve, { reply: '/text', tool_calls: '/call' });
    assert.deepEqual(reply.messages, [
      called,
      { role: 'tool', callId: 'c1', content: 'ok' },
      assistant('Done.'),
    ]);
    await failing(
      t,
      serve,
      { params: { reply: '/text', tool_calls: '/steps/0/call' } },
      'target-malformed-reply',
      /`tool_calls`/,
    );
  });
});
