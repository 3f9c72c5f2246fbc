import assert from 'node:assert/strict';
import test from 'node:test';
import { syntheticConversation } from '../../../bench/judge-cost/conversations.ts';
import { deepEvalTalk } from '../../../bench/judge-cost/deepeval.ts';
import { toConversation, turnsOf } from '../../../src/core/conversation.ts';
import { assistant, call, talk, user } from '../../support/judging.ts';

test('a synthetic conversation of 40 turns has 20 exchanges with three contexts each', () => {
  const { exchanges, userTurns, answeringTurns } = deepEvalTalk(
    syntheticConversation(40).conversation,
  );
  assert.deepEqual(
    exchanges.map(({ contexts }) => contexts),
    Array.from({ length: 20 }, () => 3),
  );
  assert.equal(exchanges.filter(({ callsTools }) => callsTools).length, 5);
  assert.deepEqual([userTurns, answeringTurns], [20, 20]);
});

test('a synthetic conversation is the same every time, and a longer one begins like it', () => {
  const turns = (count: number) => turnsOf(syntheticConversation(count).conversation);
  assert.deepEqual(turns(10), turns(10));
  assert.deepEqual(turns(40).slice(0, 10), turns(10));
});

test('an exchange is answered: a greeting before the user and a last question are none', () => {
  const conversation = talk(
    assistant('Welcome!'),
    user('Where is my order?'),
    ...call('lookup', {}, 'shipped'),
    assistant('On its way.', ['One.', 'Two.']),
    user('Thanks. And the hat?'),
  );
  assert.deepEqual(deepEvalTalk(conversation), {
    exchanges: [{ contexts: 2, callsTools: true }],
    userTurns: 2,
    answeringTurns: 1,
    listLength: 2,
  });
  assert.deepEqual(deepEvalTalk(toConversation([])).exchanges, []);
});
