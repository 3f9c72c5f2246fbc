import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { textOf, turnsOf } from '../../../src/core/conversation.ts';
import { SILENT } from '../../../src/core/logger.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { Talk, talkCaseOf } from '../../../src/runner/talk.ts';
import { suiteIn, workspaceWith } from '../../support/runs.ts';
import { startService } from '../../support/service.ts';

/** Replies with its process id, the number of messages, and the last one. */
const AGENT = `export default async function (messages) {
  const { content } = messages.at(-1);
  if (content === 'crash') process.exit(3);
  if (content.startsWith('throw')) throw new Error(content);
  if (content === 'wait') await new Promise((resolve) => setTimeout(resolve, 600_000));
  return process.pid + ' ' + messages.length + ' ' + content;
}
`;

const SECRET = 'sk-shop-0123456789abcdef';

const CASE = `cases:
  - id: start
    turns: [unused]
    assert: [{ type: no-repeat }]
`;

async function begin(t: TestContext, head: string, more = '') {
  const workspace = await workspaceWith(t, {
    'agent.mjs': AGENT,
    'suite.eval.yaml': `${head}\n${CASE}${more}`,
  });
  const suite = await suiteIn(workspace);
  const scrubber = new Scrubber();
  scrubber.add('SHOP_KEY', SECRET);
  const [given] = suite.cases;
  assert.ok(given?.origin.kind === 'turns');
  let wake = () => {};
  const failed: [unsent: string, why: string | undefined][] = [];
  const talk = await Talk.open(
    suite,
    talkCaseOf(given, given.origin.target, given.origin.history),
    {
      concurrency: 1,
      timeout: 600_000,
      forbidOnly: false,
      keepRecord: false,
      described: {},
      secret: async () => undefined,
      env: () => undefined,
      scrubber,
      log: SILENT,
      signal: new AbortController().signal,
      onEvent: () => {},
    },
    () => wake(),
    (unsent, failure) => {
      failed.push([unsent, failure?.message]);
      wake();
    },
  );
  t.after(() => talk.close());
  /** Waits until something is so after a change. */
  const until = async (isSo: () => boolean) => {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const say = async (text: string, turn?: number) => {
    const before = failed.length;
    await talk.say(text, turn);
    await until(() => !talk.isReplying || failed.length > before);
  };
  const said = () => turnsOf(talk.conversation).map(textOf);
  return { talk, say, said, failed, until };
}

const MODULE = 'target: { type: module, path: ./agent.mjs }';

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a talk with a target', () => {
  it('goes on in one session, which ends with it', async (t) => {
    const { talk, say, said } = await begin(t, MODULE);
    await say('Hi');
    await say('Bye');
    const [pid = ''] = said()[1]?.split(' ') ?? [];
    assert.deepEqual(said(), ['Hi', `${pid} 1 Hi`, 'Bye', `${pid} 3 Bye`]);
    assert.ok(turnsOf(talk.conversation).every(({ source }) => source === undefined));
    assert.ok(isAlive(Number(pid)));
    await talk.close();
    assert.ok(!isAlive(Number(pid)));
  });

  it('starts with the system prompt and history of its case', async (t) => {
    const history = '    history: [{ user: Hello }, { assistant: Welcome }]\n';
    const { talk, say, said } = await begin(
      t,
      'target: { type: module, path: ./agent.mjs, system: Be brief. }',
      history,
    );
    assert.deepEqual(said(), ['Hello', 'Welcome']);
    assert.equal(talk.conversation.entries[0]?.kind, 'system');
    await say('Hi');
    await say('Again', 3);
    assert.match(said().join(), /^Hello,Welcome,Again,\d+ 4 Again$/);
  });

  it('branches from an earlier message with the history up to it', async (t) => {
    const { say, said } = await begin(t, MODULE);
    for (const text of ['1', '2', '3']) await say(text);
    const [, first] = said();
    await say('other', 3);
    assert.deepEqual(said().slice(0, 3), ['1', first, 'other']);
    assert.match(said()[3] ?? '', /^\d+ 3 other$/);
    assert.equal(said().length, 4);
    assert.notEqual(first?.split(' ')[0], said()[3]?.split(' ')[0]);
  });

  it('goes back to an earlier branch, to its end, and on from there', async (t) => {
    const { talk, say, said } = await begin(t, MODULE);
    for (const text of ['1', '2', '3']) await say(text);
    const first = said();
    const keys = [...talk.replies.values()].map(({ key }) => key);
    await say('other', 3);
    const second = said();
    assert.deepEqual(talk.branches, [{ turn: 3, at: 2, count: 2 }]);
    await talk.showBranch(3, 1);
    assert.deepEqual(said(), first);
    assert.deepEqual(
      [...talk.replies.values()].map(({ key }) => key),
      keys,
    );
    assert.deepEqual(talk.branches, [{ turn: 3, at: 1, count: 2 }]);
    await say('4');
    assert.deepEqual(said().slice(0, 6), first);
    assert.match(said()[7] ?? '', /^\d+ 7 4$/);
    await say('new', 5);
    assert.deepEqual(talk.branches, [
      { turn: 3, at: 1, count: 2 },
      { turn: 5, at: 2, count: 2 },
    ]);
    await talk.showBranch(3, 2);
    assert.deepEqual(said(), second);
    await talk.showBranch(3, 3);
    assert.deepEqual(said(), second);
    await talk.restart();
    assert.deepEqual(talk.branches, []);
  });

  it('adds a message that is sent while a branch opens to that branch', async (t) => {
    const { talk, say, said } = await begin(t, MODULE);
    for (const text of ['1', '2']) await say(text);
    const first = said();
    await say('other', 3);
    await Promise.all([talk.showBranch(3, 1), say('next')]);
    assert.deepEqual(said().slice(0, 5), [...first, 'next']);
    assert.match(said()[5] ?? '', /^\d+ 5 next$/);
    assert.deepEqual(talk.branches, [{ turn: 3, at: 1, count: 2 }]);
  });

  it('offers the branch that was left if the new one fails', async (t) => {
    const { talk, say, said } = await begin(t, MODULE);
    for (const text of ['1', '2']) await say(text);
    const before = said();
    await say('throw', 3);
    assert.deepEqual(said(), before.slice(0, 2));
    assert.deepEqual(talk.branches, [{ turn: 3, at: 0, count: 1 }]);
    await talk.showBranch(3, 1);
    assert.deepEqual(said(), before);
    assert.deepEqual(talk.branches, []);
  });

  it('leaves no listeners behind', async (t) => {
    const signals = new Set<AbortSignal>();
    const { addEventListener } = EventTarget.prototype;
    t.mock.method(
      EventTarget.prototype,
      'addEventListener',
      function (this: EventTarget, ...given: Parameters<typeof addEventListener>) {
        if (this instanceof AbortSignal) signals.add(this);
        addEventListener.apply(this, given);
      },
    );
    const { say } = await begin(t, MODULE);
    const counts: number[] = [];
    for (const text of ['1', '2', '3', '4', '5', '6']) {
      await say(text);
      counts.push(Math.max(...[...signals].map((one) => getEventListeners(one, 'abort').length)));
    }
    assert.equal(counts.at(-1), counts[1], counts.join());
  });

  it('sends the earlier messages again if the target keeps the conversation', async (t) => {
    const asked: unknown[] = [];
    const { url } = await startService(t, async (request, response) => {
      asked.push(request.body);
      response.end(
        JSON.stringify({ text: `reply ${asked.length}`, id: `session ${asked.length}` }),
      );
    });
    const { talk, say, said } = await begin(
      t,
      `target: { type: http, url: "${url}", body: { text: "{{message}}", in: "{{session}}" }, reply: /text, session: /id }`,
    );
    for (const text of ['1', '2', '3']) await say(text);
    const keys = [...talk.replies.values()].map(({ key }) => key);
    assert.deepEqual([talk.repeats(), talk.repeats(1), talk.repeats(3)], [false, false, true]);
    await say('other', 3);
    assert.deepEqual(said(), ['1', 'reply 4', 'other', 'reply 5']);
    // What was said about a reply still counts after its message was sent again.
    assert.equal(talk.replies.get(2)?.key, keys[0]);
    assert.notEqual(talk.replies.get(4)?.key, keys[1]);
    await talk.showBranch(1, 1);
    assert.deepEqual(said().slice(0, 2), ['1', 'reply 1']);
    assert.equal(talk.repeats(), true);
    await talk.showBranch(1, 2);
    assert.deepEqual(asked.slice(3), [
      { text: '1', in: null },
      { text: 'other', in: 'session 4' },
    ]);
  });

  it('shows no secret, neither in replies nor in errors or after a branch', async (t) => {
    const { talk, say, failed } = await begin(t, MODULE);
    await say(`Hi ${SECRET}`);
    await say('And?');
    await say('Then?', 3);
    await say(`throw ${SECRET}`);
    assert.match(JSON.stringify(talk.conversation), /Hi .*SHOP_KEY.*Then/);
    assert.match(failed[0]?.[1] ?? '', /SHOP_KEY/);
    assert.doesNotMatch(JSON.stringify([talk.conversation, failed[0]?.[1]]), /0123456789abcdef/);
  });

  it('returns the message whose reply failed, and goes on in a new session', async (t) => {
    const { say, said, failed } = await begin(t, MODULE);
    await say('Hi');
    await say('crash');
    assert.equal(failed[0]?.[0], 'crash');
    assert.match(failed[0]?.[1] ?? '', /exit|ended|code 3/);
    assert.equal(said().length, 2);
    await say('better');
    assert.match(said()[3] ?? '', /^\d+ 3 better$/);
  });

  it('can be canceled, and restarted', async (t) => {
    const { talk, say, said, failed, until } = await begin(t, MODULE);
    await say('Hi');
    await talk.say('wait');
    await until(() => said().length === 3);
    talk.cancel();
    await until(() => failed.length === 1);
    assert.deepEqual(failed, [['wait', undefined]]);
    assert.equal(said().length, 2);
    await talk.say('wait');
    talk.cancel();
    await until(() => failed.length === 2);
    await talk.restart();
    assert.deepEqual(said(), []);
    await say('New');
    assert.match(said()[1] ?? '', /^\d+ 1 New$/);
  });
});
