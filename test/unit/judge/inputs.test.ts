import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { At } from '../../../src/core/suite.ts';
import { chooseTurns } from '../../../src/judge/inputs.ts';
import { verdictOfOutcome } from '../../../src/judge/verdicts.ts';
import { assistant, buildAssertion, by, talk, user } from '../../support/judging.ts';

const GREETED = talk(
  assistant('Welcome!'),
  user('Where is it?'),
  assistant('On its way.'),
  user('And the hat?'),
  assistant('Sold out.'),
  user('Oh.'),
);

function choose(at: At, side: 'user' | 'assistant' | 'both' = 'assistant') {
  const chosen = chooseTurns(GREETED, { at }, side, []);
  return 'turns' in chosen ? chosen.turns.map(({ number }) => number) : chosen.missing;
}

const turns = (...numbers: number[]): At => ({ kind: 'turns', turns: numbers });

describe('chooseTurns', () => {
  const rows: [string, number[] | string, number[] | string][] = [
    ['all', choose({ kind: 'all' }), [1, 3, 5]],
    ['each', choose({ kind: 'each' }), [1, 3, 5]],
    ['all of the user', choose({ kind: 'all' }, 'user'), [2, 4, 6]],
    ['all of both sides', choose({ kind: 'all' }, 'both'), [1, 2, 3, 4, 5, 6]],
    ['first', choose({ kind: 'first' }), [1]],
    ['the first of the user', choose({ kind: 'first' }, 'user'), [2]],
    ['last', choose({ kind: 'last' }), [5]],
    ['a number', choose(turns(3)), [3]],
    ['a list, in order and without duplicates', choose(turns(5, 1, 5)), [1, 5]],
    ['from the end', choose(turns(-2)), [5]],
    ['a range', choose({ kind: 'range', from: 2, to: 5 }), [3, 5]],
    ['a turn beyond the end', choose(turns(7)), 'there is no turn 7; the last is turn 6'],
    ['a turn before the first', choose(turns(-7)), 'there is no turn -7; the last is turn 6'],
    ['turn 0', choose(turns(0)), 'there is no turn 0; the last is turn 6'],
    [
      'a range beyond the end',
      choose({ kind: 'range', from: 4, to: 9 }),
      'there is no turn 9; the last is turn 6',
    ],
    [
      "the other side's turn",
      choose(turns(3, 4)),
      "turn 4 is the user's, but only the assistant's turns are checked",
    ],
    [
      'a range without a turn of the side',
      choose({ kind: 'range', from: 6, to: 6 }),
      'the assistant has no turns from 6 to 6',
    ],
  ];
  for (const [name, chosen, expected] of rows) {
    it(`chooses ${name}`, () => assert.deepEqual(chosen, expected));
  }

  it('chooses the reply to a scripted turn, or the scripted turn for a type about the user', () => {
    const about = { at: { kind: 'all' } as const, scriptedTurn: 1 };
    const reply = chooseTurns(GREETED, about, 'assistant', [3, 5]);
    const said = chooseTurns(GREETED, about, 'user', [3, 5]);
    assert.deepEqual('turns' in reply && reply.turns.map(({ number }) => number), [5]);
    assert.deepEqual('turns' in said && said.turns.map(({ number }) => number), [4]);
  });

  it('finds nothing if a scripted turn was not reached', () => {
    const chosen = chooseTurns(
      GREETED,
      { at: { kind: 'all' }, scriptedTurn: 2 },
      'assistant',
      [3, 5],
    );
    assert.deepEqual(chosen, { missing: 'the scripted turn has no reply' });
  });
});

describe('chooseTurns at an agent', () => {
  const so = assistant('So.');
  const talked = talk(
    user('Hi'),
    ...by('triage', so),
    user('And?'),
    ...by('triage', so),
    ...by('refunds', so),
    user('Oh.'),
    assistant('Bye.'),
  );
  const rows: [string, string, 'user' | 'assistant' | 'both', number[] | string][] = [
    ['the turns in which it acts', 'triage', 'assistant', [2, 4]],
    ['a turn in which others act too', 'refunds', 'both', [4]],
    ['no turn of the user', 'refunds', 'user', 'the agent “refunds” has no turn here'],
    [
      'nothing by a name that is in no turn',
      'refund',
      'assistant',
      'the conversation has no agent “refund” (agents: “triage” and “refunds”; did you mean “refunds”?)',
    ],
  ];
  for (const [what, agent, side, expected] of rows) {
    it(`chooses ${what}`, () => {
      const chosen = chooseTurns(talked, { at: { kind: 'agent', agent } }, side, []);
      const found = 'turns' in chosen ? chosen.turns.map(({ number }) => number) : chosen.missing;
      assert.deepEqual(found, expected);
    });
  }

  it('says so if the conversation names no agent', () => {
    const chosen = chooseTurns(GREETED, { at: { kind: 'agent', agent: 'a' } }, 'assistant', []);
    assert.deepEqual(chosen, {
      missing: 'the conversation has no agent “a” (it names no agent)',
      fault: 'beyond',
    });
  });
});

describe('a skipped assertion', () => {
  it('gives its turns no score', () => {
    const turn = { turn: 2, status: 'fail' as const, score: 0, rationale: 'Missing.' };
    const { status, turns } = verdictOfOutcome(buildAssertion('criterion'), {
      kind: 'skipped',
      reason: 'not-applicable',
      rationale: 'No intention.',
      turns: [turn],
    });
    assert.equal(status, 'skipped');
    assert.deepEqual(turns, [{ ...turn, status: 'skipped', score: null }]);
  });
});
