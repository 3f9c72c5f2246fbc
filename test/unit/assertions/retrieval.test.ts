import assert from 'node:assert/strict';
import test from 'node:test';
import type { Conversation } from '../../../src/core/conversation.ts';
import { assistant, buildAssertion, buildFacts, judge, talk, user } from '../../support/judging.ts';

const OUTCOME = 'Returns are free.';

const CONTEXT_TALK = talk(
  user('May I return it?'),
  assistant('Yes.', ['Returns are free.']),
  user('Until when?'),
  assistant('For thirty days.', ['Thirty days.']),
);

/** The conversation with what a good reply of turn 4 holds. */
const EXPECTING: Conversation = {
  ...CONTEXT_TALK,
  entries: CONTEXT_TALK.entries.map((entry) =>
    entry.kind !== 'system' && entry.number === 4 ? { ...entry, expected: 'Thirty days.' } : entry,
  ),
};

for (const type of ['turn-contextual-precision', 'turn-contextual-recall']) {
  test(`${type} says once what is expected of all turns, and by turn where it differs`, async (t) => {
    const asked = async (conversation: Conversation) => {
      const facts = buildFacts({ expectations: { outcome: OUTCOME } });
      const { server } = await judge(t, () => 'no JSON', [buildAssertion(type)], {
        conversation,
        facts,
      });
      return server.requests[0]?.body.messages[1]?.content ?? '';
    };
    assert.ok(
      (await asked(CONTEXT_TALK)).includes(`Expected of each turn:\n| ${OUTCOME}\n\nTurns`),
    );
    assert.ok(
      (await asked(EXPECTING)).includes(
        `Expected of turn 2:\n| ${OUTCOME}\nExpected of turn 4:\n| Thirty days.\n\nTurns`,
      ),
    );
  });
}
