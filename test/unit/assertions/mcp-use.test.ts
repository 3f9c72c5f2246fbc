import assert from 'node:assert/strict';
import { it } from 'node:test';
import { testFormulas, testMistakes } from '../../support/formulas.ts';
import {
  answer,
  assistant,
  away,
  buildAssertion,
  buildFacts,
  call,
  countsOf,
  entry,
  judgeOne,
  talk,
  user,
} from '../../support/judging.ts';

/** Turn 2 calls a server's tool, turn 4 one of the agent's own, and turn 6 none. */
const CALLING = talk(
  user('How do returns work?'),
  ...call('search_docs', { query: 'returns' }, 'free', 'a'),
  assistant('They are free.'),
  user('What time is it?'),
  ...call('clock', {}, '12:00', 'b'),
  assistant('Noon.'),
  user('Open a ticket.'),
  assistant('It is open.'),
);

const ASSERTION = buildAssertion('mcp-use');
const ABOUT = {
  conversation: CALLING,
  facts: buildFacts({
    tools: [
      { name: 'search_docs', server: 'handbook' },
      { name: 'open_ticket', server: 'desk' },
      { name: 'clock' },
    ],
  }),
};

function used(turn: number, selection: number, given: number | null) {
  return { ...entry(turn), selection, arguments: countsOf(given) };
}

function unused(turn: number) {
  return { ...away(turn), selection: 0, arguments: null };
}

testFormulas(ASSERTION, ABOUT, [
  {
    name: 'min(mean selection, mean arguments); a turn that calls a tool of its own need not apply',
    said: answer(used(2, 1, 0.8), unused(4), used(6, 0, null)),
    score: 0.5,
    status: 'pass',
    turns: ['2 pass 0.8', '4 skipped', '6 fail 0'],
    misses: ['Turn 2: r2', 'Turn 6: r6'],
    details: { selection: 0.5, arguments: 0.8 },
  },
  {
    name: 'a tool of its own called where a server was due: no arguments to judge',
    said: answer(used(2, 1, 1), used(4, 0, null), unused(6)),
    score: 0.5,
    status: 'pass',
    turns: ['2 pass 1', '4 fail 0', '6 skipped'],
  },
  {
    name: 'nothing of a server used or needed: skipped',
    said: answer(unused(2)),
    about: { ...ABOUT, conversation: talk(user('Hi'), assistant('Hello')) },
    score: null,
    status: 'skipped',
    reason: 'no-tool-needed',
  },
]);

testMistakes(ASSERTION, ABOUT, answer(used(2, 1, 1), unused(4), unused(6)), [
  [
    'a turn that calls a server, said not to apply',
    answer(unused(2), unused(4), unused(6)),
    'contradiction',
    /Turn 2 calls something, so it is applicable/,
  ],
  [
    'arguments of a turn that calls nothing',
    answer(used(2, 1, 1), unused(4), used(6, 0, 1)),
    'contradiction',
    /`arguments` must be null/,
  ],
]);

it('mcp-use: only what servers offer is listed; without any it is an error and nothing is asked', async (t) => {
  const said = answer(used(2, 1, 1), unused(4), unused(6));
  const { requests } = await judgeOne(t, ASSERTION, [said], ABOUT);
  const [, instructions = ''] =
    requests[0]?.body.messages[1]?.content?.split('=== END OF CONVERSATION ===') ?? [];
  assert.match(instructions, /search_docs/);
  assert.doesNotMatch(instructions, /clock/);
  const none = await judgeOne(t, ASSERTION, [], {
    ...ABOUT,
    facts: buildFacts({ tools: [{ name: 'clock' }] }),
  });
  assert.deepEqual([none.status, none.reason, none.requests.length], ['error', 'missing-need', 0]);
});
