import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { textOf } from '../../../src/core/conversation.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import type { RunEvent } from '../../../src/runner/events.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { runFiles } from '../../support/runs.ts';
import { beginEvents, startService } from '../../support/service.ts';

const SECRET = 'token-0123456789';

/** An agent that replies word by word, as slowly as a person reads. */
async function talk(t: TestContext, words: readonly string[]) {
  const { url } = await startService(t, async (_request, response) => {
    const send = beginEvents(response);
    for (const word of words) {
      send({ text: word });
      await setTimeout(60);
    }
    response.end();
  });
  const { events, lines } = await runFiles(
    t,
    {
      'suite.eval.yaml': `target: {type: http, url: "${url}", reply: /text}\ncases: [{id: a, turns: [Hi, Bye], assert: [{type: contains, value: One}]}]\n`,
    },
    { scrubber: new Scrubber({ AGENT_TOKEN: SECRET }), follow: true },
  );
  return { events, line: lines[0] };
}

function said(event: RunEvent): string | undefined {
  if (event.kind !== 'speaking' && event.kind !== 'turn') return undefined;
  return `${event.kind} ${event.turn.number} ${event.turn.side}: ${textOf(event.turn)}`;
}

describe('a reply that arrives piece by piece', () => {
  it('is reported as an incomplete turn before the turn', async (t) => {
    const words = ['One ', 'two ', 'three ', 'four ', 'five ', 'six.'];
    const { events, line } = await talk(t, words);
    assert.equal(line?.status, 'pass', line?.reason);
    const told = events.flatMap((event) => said(event) ?? []);
    for (const [number, text] of [
      [2, 'Hi'],
      [4, 'Bye'],
    ] as const) {
      const begin = told.indexOf(`turn ${number - 1} user: ${text}`);
      const end = told.indexOf(`turn ${number} assistant: ${words.join('')}`);
      const between = told.slice(begin + 1, end);
      assert.ok(between.length >= 2, between.join('\n'));
      const whole = words.join('');
      let length = 0;
      for (const one of between) {
        const [, soFar = ''] = one.split(`speaking ${number} assistant: `);
        assert.ok(soFar.length > length && whole.startsWith(soFar), one);
        length = soFar.length;
      }
    }
  });

  const PROGRAM = `import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
for await (const line of createInterface({ input: process.stdin })) {
  const { id, end, stream } = JSON.parse(line);
  if (end) break;
  const give = (value) => console.log(JSON.stringify({ ...(id && { id }), ...value }));
  for (const delta of stream ? ['One ', 'two ', 'three.'] : []) {
    give({ delta });
    await setTimeout(150);
  }
  give({ content: 'One two three.' });
}
`;
  const FUNCTION = `import { setTimeout } from 'node:timers/promises';
export default async (messages, { stream }) => {
  for (const delta of stream ? ['One ', 'two ', 'three.'] : []) {
    stream(delta);
    await setTimeout(150);
  }
  return 'One two three.';
};
`;
  const COMMAND = `type: command, command: ["${process.execPath}", bot.mjs]`;
  for (const [kind, target, bot] of [
    ['a program', COMMAND, PROGRAM],
    ['a worker', `${COMMAND}, worker: true`, PROGRAM],
    ['a function', 'type: module, path: ./bot.mjs', FUNCTION],
  ] as const) {
    it(`can come from ${kind}, if somebody follows`, async (t) => {
      const suite = `target: {${target}}\ncases: [{id: a, turns: [Hi, Bye], assert: [{type: equals, value: One two three., at: last}]}]\n`;
      for (const follow of [true, false]) {
        const files = { 'bot.mjs': bot, 'suite.eval.yaml': suite };
        const { events, lines } = await runFiles(t, files, { follow });
        assert.equal(lines[0]?.status, 'pass', lines[0]?.reason);
        const speaking = events.filter(({ kind }) => kind === 'speaking').flatMap(said);
        const parts = speaking.filter((one) =>
          /^speaking 4 assistant: One (two )?$/.test(one ?? ''),
        );
        assert.equal(parts.length > 0, follow, speaking.join('\n'));
      }
    });
  }

  for (const [kind, target, bot] of [
    ['a program', COMMAND, PROGRAM.replace("'three.'", "'x'.repeat(1e6)")],
    ['a worker', `${COMMAND}, worker: true`, PROGRAM.replace("'three.'", "'x'.repeat(1e6)")],
    [
      'a function',
      'type: module, path: ./bot.mjs',
      FUNCTION.replace("'three.'", "'x'.repeat(1e6)"),
    ],
  ] as const) {
    it(`from ${kind} is an error if it is too long`, async (t) => {
      const suite = `target: {${target}}\ncases: [{id: a, turns: [Hi], assert: [{type: contains, value: One}]}]\n`;
      const files = { 'bot.mjs': bot, 'suite.eval.yaml': suite };
      const { lines } = await runFiles(t, files, { follow: true });
      assert.match(lines[0]?.reason ?? '', /^target-too-much-output: The reply is longer/);
    });
  }

  for (const follow of [true, false]) {
    it(`is asked for of a model ${follow ? 'where somebody follows' : 'by nobody else'}`, async (t) => {
      const server = await startModelServer(
        [
          {
            text: 'I look it up, one moment please.',
            toolCalls: [{ name: 'find', arguments: {} }],
          },
          'One day, it will be there.',
        ],
        { pause: 60 },
      );
      t.after(() => server.close());
      const { events, lines } = await runFiles(
        t,
        {
          'suite.eval.yaml': `target: {type: chat, model: {provider: openai, model: m, base_url: "${server.baseUrl}"}, tools: [{name: find}], tool_results: {find: x}}\ncases: [{id: a, turns: [Hi], assert: [{type: contains, value: One}]}]\n`,
        },
        { follow },
      );
      assert.equal(lines[0]?.status, 'pass', lines[0]?.reason);
      const asked = server.requests.map(({ body }) => body.stream);
      assert.deepEqual(asked, follow ? [true, true] : [undefined, undefined]);
      const speaking = events.filter(({ kind }) => kind === 'speaking').flatMap(said);
      assert.equal(speaking.length > 0, follow);
      const later = /I look it up, one moment please\.\n\nOne day/;
      assert.equal(
        speaking.some((one) => later.test(one ?? '')),
        follow,
        speaking.join('\n'),
      );
    });
  }

  it('shows no secret, not even its beginning', async (t) => {
    const words = ['One: ', ...SECRET, ' was it.'];
    const { events } = await talk(t, words);
    const told = events.flatMap((event) => said(event) ?? []);
    assert.ok(told.some((one) => one.startsWith('speaking')));
    for (const one of told) assert.doesNotMatch(one, /One: t/, one);
    assert.ok(told.at(-1)?.endsWith('One: [hidden: AGENT_TOKEN] was it.'));
  });
});
