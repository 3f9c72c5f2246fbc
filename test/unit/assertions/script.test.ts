import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ScriptInput } from 'turnlight';
import type { UserCode } from '../../../src/core/userCode.ts';
import { assertRow, FOUR, type FormulaRow } from '../../support/formulas.ts';
import {
  assistant,
  buildAssertion,
  buildFacts,
  call,
  judgeOne,
  system,
  talk,
  user,
} from '../../support/judging.ts';

/** Tests how a script's result is read. The runner's tests run scripts. */

type Rest = Parameters<typeof buildAssertion>[2];

const script = (rest: Rest = {}) => buildAssertion('script', { path: '/checks/own.ts' }, rest);

function returning(value: unknown, conversation = FOUR) {
  return { conversation, script: async () => value };
}

function turn(number: number, score: number, rest: object = {}) {
  return { turn: number, score, rationale: `r${number}`, ...rest };
}

type Row = Omit<FormulaRow, 'said'> & { readonly returned: unknown };

const NOT = { negate: true };
const HALF = { threshold: 0.5 };

const rows: readonly Row[] = [
  {
    name: 'negated turns without a score: the mean is turned round once',
    returned: { turns: [turn(2, 1), turn(4, 1)] },
    assertion: script(NOT),
    score: 0,
    status: 'fail',
  },
  { name: 'true: 1', returned: true, score: 1, status: 'pass', turns: [] },
  { name: 'false: 0', returned: false, score: 0, status: 'fail' },
  { name: 'a score', returned: 0.25, score: 0.25, status: 'fail' },
  { name: 'a score of 1', returned: 1, score: 1, status: 'pass' },
  {
    name: 'an object with a score, label, value and details',
    returned: { score: 0.7, label: 'good', value: 7, rationale: 'why', details: { seen: 2 } },
    assertion: script(HALF),
    score: 0.7,
    status: 'pass',
    label: 'good',
    value: 7,
    details: { seen: 2 },
  },
  {
    name: 'without a score the mean of the turns',
    returned: { turns: [turn(2, 1), turn(4, 0.5)] },
    assertion: script(HALF),
    score: 0.75,
    status: 'pass',
    turns: ['2 pass 1', '4 pass 0.5'],
    hits: ['Turn 2: r2', 'Turn 4: r4'],
    misses: [],
  },
  {
    name: 'a turn passes at the threshold of the whole, which is 1 unless given',
    returned: { turns: [turn(2, 1), turn(4, 0.5)] },
    score: 0.75,
    status: 'fail',
    turns: ['2 pass 1', '4 fail 0.5'],
    misses: ['Turn 4: r4'],
  },
  {
    name: 'its score goes before the mean of its turns',
    returned: { score: 0, turns: [turn(2, 1)] },
    score: 0,
    status: 'fail',
  },
  {
    name: 'turns of the user as well',
    returned: { turns: [turn(1, 0), turn(8, 1)] },
    assertion: script(HALF),
    score: 0.5,
    status: 'pass',
    turns: ['1 fail 0', '8 pass 1'],
    hits: ['Turn 8: r8'],
    misses: ['Turn 1: r1'],
  },
  {
    name: 'negated: 1 less the score, of the turns too',
    returned: { turns: [turn(2, 1), turn(4, 0)] },
    assertion: script({ ...NOT, ...HALF }),
    score: 0.5,
    status: 'pass',
    turns: ['2 fail 0', '4 pass 1'],
  },
  { name: 'negated: true is 0', returned: true, assertion: script(NOT), score: 0, status: 'fail' },
  {
    name: 'skipped, with its words',
    returned: { skipped: 'no order was named' },
    score: null,
    status: 'skipped',
    reason: 'not-applicable',
  },
  {
    name: 'skipped stays skipped where negated',
    returned: { skipped: 'x' },
    assertion: script(NOT),
    score: null,
    status: 'skipped',
  },
];

describe('script: results', () => {
  for (const { returned, assertion = script(), ...row } of rows) {
    it(row.name, async (t) => {
      const verdict = await judgeOne(t, assertion, [], returning(returned));
      assertRow(verdict, row);
      assert.equal(verdict.requests.length, 0);
    });
  }

  it('quotes are looked up in their turn', async (t) => {
    const turns = [turn(2, 1, { evidence: 'Answer 1.' }), turn(4, 1, { evidence: 'a lie' })];
    const verdict = await judgeOne(t, script(), [], returning({ turns }));
    assert.deepEqual(
      verdict.turns.map(({ evidence }) => evidence?.verified),
      [true, false],
    );
  });

  const wrong: [string, unknown, RegExp][] = [
    ['nothing', undefined, /returned an invalid value/],
    ['null', null, /an invalid value/],
    ['text', 'pass', /an invalid value/],
    ['a list', [true], /an invalid value/],
    ['a score in quotes', { score: '0.9' }, /an invalid value/],
    ['85', 85, /an invalid value/],
    ['a score below 0', { score: -0.1 }, /an invalid value/],
    ['NaN', Number.NaN, /an invalid value/],
    ['Infinity', { score: Number.POSITIVE_INFINITY }, /an invalid value/],
    ['`pass` without a score', { pass: true }, /an invalid value/],
    ['a key that nobody knows', { score: 1, turn: [] }, /an invalid value/],
    ['an empty object', {}, /neither a `score` nor `turns`/],
    ['an empty list of turns', { turns: [] }, /neither a `score` nor `turns`/],
    ['turn 99', { turns: [turn(99, 1)] }, /turn 99, which does not exist/],
    ['a turn twice', { score: 1, turns: [turn(2, 1), turn(2, 0)] }, /turn 2 twice/],
    ['half a turn', { turns: [turn(2.5, 1)] }, /an invalid value/],
    ['a turn without a reason', { turns: [{ turn: 2, score: 1 }] }, /an invalid value/],
  ];
  for (const [name, returned, told] of wrong) {
    it(`${name}: an error, never a pass`, async (t) => {
      for (const assertion of [script(), script(NOT)]) {
        const verdict = await judgeOne(t, assertion, [], returning(returned));
        assert.deepEqual([verdict.status, verdict.reason], ['error', 'check-failed']);
        assert.match(verdict.rationale, told);
      }
    });
  }

  it('a script that throws is an error with its words', async (t) => {
    const throwing = () => Promise.reject(new Error('no such field'));
    const verdict = await judgeOne(t, script(), [], { conversation: FOUR, script: throwing });
    assert.deepEqual([verdict.status, verdict.rationale], ['error', 'no such field']);
  });

  it('is an error if running programs is not allowed', async (t) => {
    const verdict = await judgeOne(t, script(), [], { conversation: FOUR });
    assert.deepEqual([verdict.status, verdict.rationale], ['error', 'Scripts cannot run here.']);
  });
});

describe('script: input', () => {
  it('gets the agents of each turn and call', async (t) => {
    const heard: ScriptInput[] = [];
    const toolCalls = [{ id: 'c', name: 'find', arguments: {}, agent: 'stock' }];
    const conversation = talk(
      user('Is it there?'),
      { role: 'assistant', content: 'One moment.', agent: 'triage', toolCalls },
      { role: 'tool', callId: 'c', content: 'yes' },
      { role: 'assistant', content: 'It is.', agent: 'triage' },
    );
    await judgeOne(t, buildAssertion('script', { path: '/checks/own.ts' }), [], {
      conversation,
      script: async (_code, input) => {
        heard.push(input as ScriptInput);
        return true;
      },
    });
    const [first, second] = heard[0]?.conversation.turns ?? [];
    assert.deepEqual([first?.agents, second?.agents], [[], ['triage', 'stock']]);
    assert.deepEqual(
      second?.tool_calls.map(({ name, agent }) => [name, agent]),
      [['find', 'stock']],
    );
  });

  it('the file, the export, and all that is known of the conversation', async (t) => {
    const heard: unknown[] = [];
    const conversation = talk(
      system('Be kind.'),
      user('Where is it?'),
      ...call('lookup', { order: 1 }, 'shipped'),
      assistant('On its way.', ['Two days.']),
    );
    const assertion = buildAssertion('script', {
      path: '/checks/own.ts',
      export: 'check',
      options: { word: 'way' },
    });
    await judgeOne(t, assertion, [], {
      conversation,
      facts: buildFacts({ role: 'A shop.', topics: ['orders'], context: { name: 'Ann' } }),
      script: async (...given) => {
        heard.push(...given);
        return true;
      },
    });
    const [code, input] = heard;
    const { runs } = code as UserCode;
    assert.deepEqual(runs, { kind: 'function', path: '/checks/own.ts', exported: 'check' });
    const silent = {
      tool_calls: [],
      agents: [],
      retrieval_context: [],
      expected: null,
      latency: null,
    };
    assert.deepEqual(input, {
      case: 'case',
      conversation: {
        id: null,
        system: ['Be kind.'],
        turns: [
          { number: 1, side: 'user', text: 'Where is it?', ...silent },
          {
            number: 2,
            side: 'assistant',
            text: 'On its way.',
            ...silent,
            tool_calls: [
              { name: 'lookup', arguments: { order: 1 }, agent: null, result: 'shipped' },
            ],
            retrieval_context: ['Two days.'],
          },
        ],
      },
      chosen: [1, 2],
      role: 'A shop.',
      topics: ['orders'],
      tools: [],
      expectations: {},
      context: { name: 'Ann' },
      options: { word: 'way' },
    });
  });
});
