import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { SILENT } from '../../../src/core/logger.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { NO_USAGE } from '../../../src/core/verdict.ts';
import { Endpoints } from '../../../src/models/endpoint/endpoints.ts';
import type { Model, ModelReply } from '../../../src/models/model.ts';
import { chatTarget } from '../../../src/targets/chat.ts';
import { commandTarget } from '../../../src/targets/command.ts';
import { moduleTarget } from '../../../src/targets/module.ts';
import { Programs } from '../../../src/targets/programs/programs.ts';
import { readReply } from '../../../src/targets/reply.ts';
import { TargetError, type TargetHost, type TargetType } from '../../../src/targets/target.ts';
import { workspaceWith } from '../../support/runs.ts';

const HI = [{ role: 'user' as const, content: 'Hi' }];

/** Sends a single user message to a target. */
async function ask(
  t: TestContext,
  type: TargetType,
  params: Record<string, unknown>,
  files: Readonly<Record<string, string>>,
  about: Partial<TargetHost> = {},
) {
  const folder = await workspaceWith(t, files);
  const programs = new Programs(SILENT, new Scrubber());
  const session = await type.open(
    { name: 'bot', type: type.type, params: { type: type.type, ...params }, folder },
    {
      caseId: 'a',
      conversationId: 'conversation-1',
      repetition: 1,
      context: { name: 'Sarah' },
      tools: [],
      timeout: 5_000,
      workspace: folder,
      env: (name) => process.env[name],
      keyVariables: [],
      endpoints: new Endpoints(SILENT),
      programs,
      scrubber: new Scrubber(),
      log: SILENT,
      ...about,
    },
  );
  const { signal } = new AbortController();
  // Must happen before the folder is deleted, since a program could be running in it.
  t.after(() => programs.close());
  try {
    return await session.reply(HI, signal);
  } finally {
    await session.close(signal);
  }
}

const refusedWith = (reason: string, words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof TargetError, String(error));
  assert.equal(error.reason, reason);
  assert.match(error.message, words);
  return true;
};

describe('a module target', () => {
  const module = (t: TestContext, code: string, about: Partial<TargetHost> = {}) =>
    ask(t, moduleTarget, { path: './bot.mjs' }, { 'bot.mjs': code }, about);

  it('gets messages, case, and context', async (t) => {
    const { messages } = await module(
      t,
      'export default async (messages, { case: id, context, signal }) => JSON.stringify([messages, id, context, typeof signal]);\n',
    );
    assert.deepEqual(JSON.parse(messages[0]?.content ?? ''), [
      [{ role: 'user', content: 'Hi' }],
      'a',
      { name: 'Sarah' },
      'object',
    ]);
  });

  it('may be TypeScript, and may be any export', async (t) => {
    const { messages } = await ask(
      t,
      moduleTarget,
      { path: './bot.ts', export: 'reply' },
      {
        'bot.ts':
          'export const reply = (messages: unknown[]): string => String(messages.length);\n',
      },
    );
    assert.equal(messages[0]?.content, '1');
  });

  for (const [what, code, reason, words] of [
    ['that exits', 'export default () => process.exit(3);', 'target-crashed', /exited with code 3/],
    [
      'that answers with a number',
      'export default () => 7;',
      'target-malformed-reply',
      /It was: 7/,
    ],
    [
      'that answers with nothing',
      'export default () => {};',
      'target-malformed-reply',
      /"default" of .*bot\.mjs returned nothing\. Return the reply/,
    ],
    [
      'without the export',
      'export const x = 1;',
      'target-error',
      /not export a function "default"/,
    ],
    [
      'that does not parse',
      '\nexport default = 1;',
      'target-error',
      /could not be loaded: SyntaxError: Unexpected token '='\n {4}at \S+bot\.mjs:2$/,
    ],
    [
      'that throws',
      'export default () => { throw new Error("no luck"); };',
      'target-error',
      /threw: Error: no luck\n {4}at .*\(\/.*bot\.mjs:1:\d+\)$/,
    ],
  ] as const) {
    it(`${what} is an error that says so`, async (t) => {
      await assert.rejects(module(t, `${code}\n`), refusedWith(reason, words));
    });
  }

  it('is stopped if it hangs, even in a loop', async (t) => {
    await assert.rejects(
      module(t, 'export default () => { for (;;); };\n', { timeout: 1_000 }),
      refusedWith('target-timeout', /within 1000 ms/),
    );
  });

  it('prints to the log, and never to our output', async (t) => {
    const lines: string[] = [];
    const log = { ...SILENT, info: (line: string) => void lines.push(line) };
    await module(t, 'console.log("seen"); export default () => "x";\n', { log });
    assert.deepEqual(lines, ['[bot] seen']);
  });
});

describe('a command target', () => {
  const command = (t: TestContext, code: string, params = {}, about: Partial<TargetHost> = {}) =>
    ask(
      t,
      commandTarget,
      { command: [process.execPath, 'bot.mjs'], ...params },
      { 'bot.mjs': code },
      about,
    );
  const answering = (reply: string) =>
    `import { createInterface } from 'node:readline';\nfor await (const line of createInterface({ input: process.stdin })) { const turn = JSON.parse(line); console.log(${reply}); }\n`;

  it('speaks JSON lines', async (t) => {
    const { messages } = await command(
      t,
      answering(
        'JSON.stringify({ content: turn.case + turn.context.name + turn.messages.length })',
      ),
    );
    assert.equal(messages[0]?.content, 'aSarah1');
  });

  for (const [what, code, reason, words] of [
    [
      'prints text that is not JSON',
      answering('"rubbish"'),
      'target-malformed-reply',
      /not JSON: rubbish/,
    ],
    [
      'crashes',
      'console.error("out of luck"); process.exit(4);\n',
      'target-crashed',
      /exited with code 4.*out of luck/,
    ],
    ['ends without output', '', 'target-crashed', /exited with code 0.*from stdin.*`serve`/],
  ] as const) {
    it(`that ${what} is an error that says so`, async (t) => {
      await assert.rejects(command(t, code), refusedWith(reason, words));
    });
  }

  it('is stopped if it hangs', async (t) => {
    await assert.rejects(
      command(t, 'setInterval(() => {}, 1000);\n', {}, { timeout: 800 }),
      refusedWith('target-timeout', /within 800 ms/),
    );
  });

  it('is an error with its last output if it does not reply', async (t) => {
    const service = ['sh', '-c', 'echo "running on port 8000" >&2; exec sleep 600'];
    await assert.rejects(
      ask(t, commandTarget, { command: service, timeout: 2_000 }, {}),
      refusedWith('target-timeout', /within 2000 ms.*running on port 8000/),
    );
  });

  it('is an error that names the program if it does not exist', async (t) => {
    await assert.rejects(
      ask(t, commandTarget, { command: ['no-such-program'] }, {}),
      refusedWith('target-not-found', /no-such-program.* Is it installed and on the PATH/),
    );
  });

  it('may not start outside the workspace', async (t) => {
    await assert.rejects(
      command(t, '', { cwd: join('..', '..') }),
      refusedWith('target-not-found', /is outside the workspace/),
    );
  });
});

describe('a chat target', () => {
  const model = (...replies: readonly Partial<ModelReply>[]): Model => {
    const queue = [...replies];
    return {
      id: 'test:model',
      complete: async () => [
        { text: '', toolCalls: [], finish: 'stop', usage: NO_USAGE, ...queue.shift() },
      ],
    };
  };
  const call = { id: 'c', name: 'lookup', arguments: { order: 1 } };
  const params = { model: 'test:model', tool_results: { lookup: 'shipped' } };

  it('answers its tool calls from the script', async (t) => {
    const { messages } = await ask(
      t,
      chatTarget,
      params,
      {},
      {
        model: model({ toolCalls: [call], finish: 'tool-calls' }, { text: 'It is shipped.' }),
      },
    );
    assert.deepEqual(
      messages.map(({ role, content }) => [role, content]),
      [
        ['assistant', ''],
        ['tool', 'shipped'],
        ['assistant', 'It is shipped.'],
      ],
    );
  });

  it('is an error if it calls an unscripted tool', async (t) => {
    const other = { ...call, name: 'refund' };
    await assert.rejects(
      ask(t, chatTarget, params, {}, { model: model({ toolCalls: [other] }) }),
      refusedWith('target-error', /has no answer for the call refund/),
    );
  });

  it('is an error if its replies are too long', async (t) => {
    await assert.rejects(
      ask(t, chatTarget, params, {}, { model: model({ text: 'x'.repeat(1_000_000) }) }),
      refusedWith('target-too-much-output', /longer than 1,000,000 characters/),
    );
  });

  it('is stopped at the time limit', async (t) => {
    let stopped: AbortSignal | undefined;
    const late: Model = {
      id: 'test:model',
      complete: (_request, _count, signal) => {
        stopped = signal;
        return new Promise(() => {});
      },
    };
    await assert.rejects(
      ask(t, chatTarget, { ...params, timeout: 20 }, {}, { model: late }),
      refusedWith('target-timeout', /within 20 ms/),
    );
    assert.equal(stopped?.aborted, true);
  });

  it('is stopped if it never stops calling tools', async (t) => {
    const always: Model = {
      id: 'test:model',
      complete: async () => [
        { text: '', toolCalls: [call], finish: 'tool-calls', usage: NO_USAGE },
      ],
    };
    await assert.rejects(
      ask(t, chatTarget, params, {}, { model: always }),
      refusedWith('target-error', /more than 10 times without a reply/),
    );
  });
});

describe('a reply', () => {
  it('may be text, a message, messages, or messages with retrieved texts', () => {
    for (const answer of [
      'Hello',
      { content: 'Hello' },
      { role: 'assistant', content: 'Hello' },
      [{ role: 'assistant', content: 'Hello' }],
      { messages: [{ role: 'assistant', content: 'Hello' }] },
    ]) {
      assert.deepEqual(readReply(answer).messages, [{ role: 'assistant', content: 'Hello' }]);
    }
    const { messages, usage } = readReply({
      messages: [{ role: 'assistant', content: 'Hello' }],
      retrieval_context: ['found'],
      usage: { input_tokens: 3 },
    });
    assert.deepEqual(messages, [
      { role: 'assistant', content: 'Hello', retrievalContext: ['found'] },
    ]);
    assert.equal(usage?.input_tokens, 3);
  });

  it('never speaks as the user', () => {
    assert.throws(
      () =>
        readReply([
          { role: 'user', content: 'me' },
          { role: 'assistant', content: 'x' },
        ]),
      refusedWith('target-malformed-reply', /a user message/),
    );
  });
});
