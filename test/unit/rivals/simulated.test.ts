import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnsOf } from '../../../src/core/conversation.ts';
import type { ChatBody } from '../../support/modelServer/chatBody.ts';
import { json } from '../../support/modelServer/steps.ts';
import { ends, inTurn, says, simulate } from '../../support/simulated.ts';

/** Situations in which DeepEval's simulator loops or loses messages. */
describe('where other simulated users go wrong', () => {
  const stuck: [string, string, string, string, RegExp | undefined][] = [
    [
      'speaks as the user',
      "export default async () => ({ role: 'user', content: 'Hi' });\n",
      'error',
      'target-error',
      /a user message/,
    ],
    [
      'throws',
      "export default async () => { throw new Error('no luck'); };\n",
      'error',
      'target-error',
      /no luck/,
    ],
    [
      'stays silent',
      "export default async () => '';\n",
      'error',
      'empty-reply',
      /target-empty-reply/,
    ],
    [
      'says nothing but blanks',
      "export default async () => ({ messages: [{ role: 'assistant', content: ' ' }] });\n",
      'error',
      'empty-reply',
      /target-empty-reply/,
    ],
    [
      'repeats itself',
      "export default async () => 'Try  again.';\n",
      'pass',
      'repetition',
      undefined,
    ],
  ];
  for (const [what, bot, status, stop, reason] of stuck) {
    it(`ends within a turn where the target ${what}`, async (t) => {
      const { line, asked } = await simulate(t, inTurn(says('Hi'), says('Hello?')), bot);
      assert.deepEqual([line.status, line.stop_reason], [status, stop]);
      assert.ok(asked.length <= 2, `${asked.length} requests`);
      if (reason) assert.match(line.reason ?? '', reason);
      if (status === 'error') assert.equal(line.verdicts[0]?.status, 'skipped');
    });
  }

  it('keeps the other repetitions where one of five goes wrong', async (t) => {
    const bot = `let asked = 0;
export default async (messages, { context }) => {
  if (messages[0].content === 'Hi 2') throw new Error('no luck');
  return 'Reply ' + messages.length;
};
`;
    let count = 0;
    const user = ({ messages }: ChatBody) => {
      if (messages.length > 2) return ends('goal-reached');
      count += 1;
      return says(`Hi ${count}`);
    };
    const { lines } = await simulate(t, user, bot, { caseKeys: '    repeat: 5\n' });
    const statuses = lines.map(({ status, stop_reason }) => `${status} ${stop_reason}`).sort();
    assert.deepEqual(statuses, ['error target-error', ...Array(4).fill('pass goal-reached')]);
  });

  it('says no goodbyes: its end is the end, with the reason', async (t) => {
    const goodbye = { reason: 'It is booked.', status: 'goal-reached', message: 'Thanks, bye!' };
    const { line, asked } = await simulate(
      t,
      inTurn(says('Hi'), json(goodbye)),
      "export default async (messages) => 'Reply ' + messages.length;\n",
    );
    assert.deepEqual([turnsOf(line.conversation).length, asked.length], [2, 2]);
    assert.deepEqual([line.stop_reason, line.stop_rationale], ['goal-reached', 'It is booked.']);
  });
});
