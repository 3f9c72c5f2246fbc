import assert from 'node:assert/strict';
import test from 'node:test';
import { judgeAnswer } from '../../../bench/judge-cost/judgeAnswer.ts';
import { outlineOf } from '../../../bench/judge-cost/outline.ts';
import { buildAssertion, judge } from '../../support/judging.ts';
import { FULL_FACTS, judgedAssertions, RICH_TALK } from '../../support/questions.ts';

test('an outline is read from the lines that are no part of the conversation', () => {
  const prompt = [
    '[1 user]',
    '| [9 user]',
    '[2 assistant]',
    '[tool call]',
    '| find {}',
    '[context 1]',
    '| [context 2]',
    'Criterion 1:',
    '| Criterion 2:',
    'Turns to judge: 2,4.',
  ];
  assert.deepEqual(outlineOf(prompt.join('\n')), {
    turns: [
      { number: 1, side: 'user', calls: 0, contexts: 0 },
      { number: 2, side: 'assistant', calls: 1, contexts: 1 },
    ],
    judged: [2, 4],
    listed: 1,
  });
});

for (const [index, assertion] of judgedAssertions().entries()) {
  test(`${assertion.type} takes its answer at once (${index + 1})`, async (t) => {
    const { verdicts } = await judge(t, (body) => ({ text: judgeAnswer(body) }), [assertion], {
      conversation: RICH_TALK,
      facts: FULL_FACTS,
    });
    const [verdict] = verdicts;
    assert.notEqual(verdict?.status, 'error', verdict?.rationale);
    assert.equal(verdict?.usage.calls, 1);
  });
}

test('every criterion and guideline of a list is answered', async (t) => {
  const assertions = [
    buildAssertion('criterion', { criterion: 'It is polite.' }),
    buildAssertion('criterion', { criterion: 'It is short.' }),
    buildAssertion('guidelines', { guidelines: ['a', 'b', 'c'] }),
  ];
  const { verdicts, server } = await judge(t, (body) => ({ text: judgeAnswer(body) }), assertions, {
    conversation: RICH_TALK,
  });
  assert.deepEqual(
    verdicts.map(({ status }) => status),
    ['pass', 'pass', 'pass'],
  );
  assert.equal(server.requests.length, 2);
});
