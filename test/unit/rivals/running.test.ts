import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startModelServer } from '../../support/modelServer/server.ts';
import { botSuite, ECHO, runFiles } from '../../support/runs.ts';

const contains = (value: string) => `{type: contains, value: "${value}"}`;

const judged = (baseUrl: string) =>
  `judge: {provider: openai, model: judge, base_url: "${baseUrl}"}\n`;

describe('what other runners get wrong', () => {
  it('a turn without a check: no verdict for it, and no pass', async (t) => {
    const { lines } = await runFiles(t, {
      'bot.mjs': ECHO,
      'suite.eval.yaml': botSuite(
        `  - id: a\n    turns: [one, {user: two, assert: [${contains('two')}]}]\n`,
      ),
    });
    assert.deepEqual(
      lines[0]?.verdicts.map(({ turns }) => turns.map(({ turn }) => turn)),
      [[4]],
    );
  });

  it('a required check fails while four turns pass: the case fails', async (t) => {
    const turn = (text: string) => `{user: ${text}, assert: [${contains(text)}]}`;
    const { lines } = await runFiles(t, {
      'bot.mjs': ECHO,
      'suite.eval.yaml': botSuite(
        `  - id: a\n    threshold: 0.5\n    turns: [${['a', 'b', 'c', 'd'].map(turn).join(', ')}]\n    assert: [{type: contains, value: never, required: true}]\n`,
      ),
    });
    assert.equal(lines[0]?.score, 0.8);
    assert.equal(lines[0]?.status, 'fail');
  });

  it('turns not reached after a stop: skipped, and out of every mean', async (t) => {
    const { lines } = await runFiles(t, {
      'bot.mjs': ECHO,
      'suite.eval.yaml': botSuite(
        `  - id: a\n    stop_on_failure: true\n    turns:\n      - {user: one, assert: [${contains('one')}]}\n      - {user: two, assert: [${contains('nothing')}]}\n      - {user: three, assert: [${contains('three')}]}\n`,
      ),
    });
    assert.deepEqual(
      lines[0]?.verdicts.map(({ status, reason }) => [status, reason]),
      [
        ['pass', undefined],
        ['fail', undefined],
        ['skipped', 'not-reached'],
      ],
    );
    assert.equal(lines[0]?.score, 0.5);
    assert.equal(lines[0]?.conversation.entries.length, 4);
  });

  it('an unparsable judge answer: an error of its own, the agent does not fail', async (t) => {
    const server = await startModelServer(['no JSON at all', 'still none']);
    t.after(() => server.close());
    const { lines, end } = await runFiles(t, {
      'suite.eval.yaml': `${judged(server.baseUrl)}cases:\n  - id: a\n    transcript: [{user: Hi}, {assistant: Hello}]\n    assert: [It is friendly.]\n`,
    });
    assert.equal(lines[0]?.verdicts[0]?.status, 'error');
    assert.equal(lines[0]?.verdicts[0]?.reason, 'malformed-json');
    assert.equal(lines[0]?.status, 'error');
    assert.deepEqual(end.counts, { pass: 0, fail: 0, error: 1, skipped: 0 });
  });

  it('30 slow conversations: 30 of 30, side by side', async (t) => {
    const ids = Array.from({ length: 30 }, (_, index) => `case-${index}`);
    const cases = ids.map((id) => `  - {id: ${id}, turns: [x], assert: [${contains('x')}]}\n`);
    let most = 0;
    let going = 0;
    const { end, lines, events } = await runFiles(
      t,
      {
        'bot.mjs':
          'export default async (messages) => { await new Promise((done) => setTimeout(done, 20)); return messages.at(-1).content; };\n',
        'suite.eval.yaml': botSuite(cases.join('')),
      },
      {
        onEvent({ kind }) {
          if (kind === 'case-started') going += 1;
          if (kind === 'case-finished') going -= 1;
          most = Math.max(most, going);
        },
      },
    );
    assert.equal(lines.length, 30);
    assert.equal(end.counts.pass, 30);
    assert.ok(most > 1, 'unrelated conversations go on side by side');
    const [started] = events;
    assert.deepEqual(
      started?.kind === 'run-started' && started.cases.map(({ id }) => id),
      ids,
      'told in input order',
    );
  });

  it('turns of one conversation: in order, each with all that came before', async (t) => {
    const { lines } = await runFiles(t, {
      'bot.mjs': 'export default async (messages) => String(messages.length);\n',
      'suite.eval.yaml': botSuite(
        `  - {id: a, turns: [one, two, three], assert: [${contains('5')}]}\n`,
      ),
    });
    const said = lines[0]?.conversation.entries.flatMap((entry) =>
      entry.kind === 'turn' ? entry.items.map((item) => item.kind === 'text' && item.text) : [],
    );
    assert.deepEqual(said, ['one', '1', 'two', '3', 'three', '5']);
  });

  it('a target that throws in one of five: four kept, one error', async (t) => {
    const cases = ['a', 'b', 'bad', 'd', 'e'].map(
      (id) => `  - {id: ${id}, turns: [${id}], assert: [${contains('ok')}]}\n`,
    );
    const { lines, end } = await runFiles(t, {
      'bot.mjs':
        "export default async (messages) => { if (messages.at(-1).content === 'bad') throw new Error('broken'); return 'ok'; };\n",
      'suite.eval.yaml': botSuite(cases.join('')),
    });
    assert.deepEqual(end.counts, { pass: 4, fail: 0, error: 1, skipped: 0 });
    const bad = lines.find(({ id }) => id === 'bad');
    assert.match(bad?.reason ?? '', /The target failed: .*broken/);
    assert.deepEqual(
      bad?.verdicts.map(({ status }) => status),
      ['skipped'],
    );
  });

  it('what a judge says of a case: the whole numbered conversation is before it', async (t) => {
    const server = await startModelServer(['x', 'y']);
    t.after(() => server.close());
    await runFiles(t, {
      'suite.eval.yaml': `${judged(server.baseUrl)}cases:\n  - id: a\n    transcript: [{user: first}, {assistant: second}, {user: third}, {assistant: fourth}]\n    assert: [It is friendly.]\n`,
    });
    const asked = JSON.stringify(server.requests[0]?.body);
    for (const text of ['[1 user]', 'first', '[4 assistant]', 'fourth']) {
      assert.ok(asked.includes(text), text);
    }
  });
});
