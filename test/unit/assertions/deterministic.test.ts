import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findAssertionType } from '../../../src/assertions/registry.ts';
import type { Conversation } from '../../../src/core/conversation.ts';
import { LIMITS } from '../../../src/core/limits.ts';
import type { Assertion } from '../../../src/core/suite.ts';
import type { Verdict } from '../../../src/core/verdict.ts';
import { judgeAssertions } from '../../../src/judge/judgeAssertions.ts';
import {
  assistant,
  buildAssertion,
  buildFacts,
  call,
  ORDER_TALK,
  talk,
  user,
} from '../../support/judging.ts';

async function check(
  type: string,
  params: object,
  rest: Partial<Assertion> = {},
  conversation: Conversation = ORDER_TALK,
): Promise<Verdict> {
  const [verdict] = await judgeAssertions({
    conversation,
    facts: buildFacts(),
    assertions: [buildAssertion(type, { ...params }, rest)],
    replyTurns: [],
    modelFor: async () => undefined,
    signal: new AbortController().signal,
  });
  assert.ok(verdict);
  return verdict;
}

const EACH = { at: { kind: 'each' } } as const;
const LAST = { at: { kind: 'last' } } as const;
const FIRST = { at: { kind: 'first' } } as const;
const NOT = { negate: true } as const;

describe('a time limit', () => {
  const hard = '(?:x?){900}[ab]{900}$';
  const long = `${'ab'.repeat(100_000)}z`;
  const values = Array.from({ length: 100_000 }, (_, index) => `zz${index}`);
  const hardArgs = { args: { a: hard }, match: 'pattern' };
  const ask = user('Go on.');
  const texts = talk(ask, assistant('ab'), ask, assistant(long));
  const called = (a: string, id: string) => [
    ask,
    ...call('t', { a }, 'ok', id),
    assistant('Done.'),
  ];
  const calls = talk(...called('ab', 'a'), ...called(long, 'b'));
  const rows: [type: string, params: object, conversation: Conversation][] = [
    ['regex', { pattern: hard }, texts],
    ['contains-any', { values }, texts],
    ['contains-all', { values: ['ab', ...values] }, texts],
    ['tool-called', { name: 't', ...hardArgs }, calls],
    ['tool-not-called', hardArgs, calls],
    ['tool-sequence', { tools: ['t', ...values] }, calls],
  ];
  for (const [type, params, conversation] of rows) {
    it(`makes a check that takes too long an error: ${type}`, async (t) => {
      // The short text uses (almost) the whole time limit.
      let used = 0;
      t.mock.method(process as { threadCpuUsage?: unknown }, 'threadCpuUsage' as never, () => {
        used += (LIMITS.work - 50) * 1000;
        return { user: used, system: 0 };
      });
      const verdict = await check(type, params, EACH, conversation);
      assert.equal(verdict.status === 'error' && verdict.reason, 'check-failed');
      assert.match(verdict.rationale, /^The check takes longer than 5,000 ms\. .*`at`\.$/);
    });
  }
});

describe('text assertions', () => {
  it('treats characters that look the same as the same', async () => {
    const said = talk(user('Where?'), assistant('At the cafe\u0301.'));
    for (const [type, params] of [
      ['contains', { value: 'caf\u00e9' }],
      ['contains-any', { values: ['x', 'CAF\u00c9'], ignore_case: true }],
      ['contains-all', { values: ['caf\u00e9', 'cafe\u0301'] }],
      ['starts-with', { value: 'At the caf\u00e9' }],
      ['equals', { value: 'At the caf\u00e9.' }],
    ] as const) {
      assert.equal((await check(type, params, {}, said)).status, 'pass', type);
    }
  });

  type Row = [type: string, params: object, rest: Partial<Assertion>, score: number];
  const rows: Row[] = [
    ['contains', { value: 'shipped' }, {}, 1],
    ['contains', { value: 'Shipped' }, {}, 0],
    ['contains', { value: 'Shipped', ignore_case: true }, {}, 1],
    ['contains', { value: 'shipped' }, LAST, 0],
    ['contains', { value: 'shipped' }, EACH, 0.5],
    ['contains', { value: 'shipped' }, { ...EACH, ...NOT }, 0.5],
    ['contains', { value: 'shipped' }, NOT, 0],
    ['contains', { value: 'lost' }, NOT, 1],
    ['contains', { value: 'order #98765' }, {}, 0],
    ['contains-any', { values: ['lost', 'refund'] }, {}, 1],
    ['contains-any', { values: ['lost', 'found'] }, {}, 0],
    ['contains-any', { values: ['LOST', 'REFUND'], ignore_case: true }, LAST, 1],
    ['contains-any', { values: ['lost', 'found'] }, NOT, 1],
    ['contains-all', { values: ['shipped', 'refund'] }, {}, 1],
    ['contains-all', { values: ['shipped', 'refund'] }, EACH, 0],
    ['contains-all', { values: ['shipped', 'lost'] }, {}, 0],
    ['contains-all', { values: ['shipped', 'lost'] }, NOT, 1],
    ['equals', { value: 'The refund was sent today.' }, LAST, 1],
    ['equals', { value: ' the refund was sent TODAY. ', ignore_case: true }, LAST, 1],
    ['equals', { value: 'The refund was sent' }, LAST, 0],
    ['equals', { value: 'x' }, { ...LAST, ...NOT }, 1],
    ['starts-with', { value: 'It was' }, FIRST, 1],
    ['starts-with', { value: 'It was' }, LAST, 0],
    ['starts-with', { value: 'it was', ignore_case: true }, {}, 1],
    ['starts-with', { value: 'The refund' }, {}, 0],
    ['ends-with', { value: 'Monday.' }, FIRST, 1],
    ['ends-with', { value: 'Monday.' }, {}, 0],
    ['ends-with', { value: 'TODAY.', ignore_case: true }, {}, 1],
    ['regex', { pattern: 'sent (today|tomorrow)' }, {}, 1],
    ['regex', { pattern: '^The' }, LAST, 1],
    ['regex', { pattern: 'SENT' }, {}, 0],
    ['regex', { pattern: 'SENT', ignore_case: true }, {}, 1],
    ['regex', { pattern: '\\d' }, NOT, 1],
  ];
  for (const [type, params, rest, score] of rows) {
    const given = [JSON.stringify(params), rest.at?.kind, rest.negate && 'negate'];
    it(`${type} ${given.filter(Boolean).join(' ')}: ${score}`, async () => {
      const verdict = await check(type, params, rest);
      assert.equal(verdict.score, score);
      assert.equal(verdict.status, score === 1 ? 'pass' : 'fail');
      assert.equal(verdict.threshold, 1);
      const cited = score === 1 ? verdict.hits : verdict.misses;
      assert.ok(cited.length > 0);
      for (const text of [...verdict.hits, ...verdict.misses]) assert.match(text, /^Turns? \d/);
    });
  }

  it('check only the text of the assistant, not of users, tools, or the system', async () => {
    const conversation = talk(
      user('secret'),
      ...call('look', { secret: true }, 'secret'),
      assistant('Nothing to say.'),
    );
    assert.equal((await check('contains', { value: 'secret' }, {}, conversation)).status, 'fail');
  });

  it('tell the turn that holds the text', async () => {
    const found = await check('contains', { value: 'refund' });
    assert.deepEqual(
      found.turns.map(({ turn, status, score }) => [turn, status, score]),
      [[4, 'pass', 1]],
    );
    const forbidden = await check('contains', { value: 'refund' }, NOT);
    assert.deepEqual(
      forbidden.turns.map(({ turn, status }) => [turn, status]),
      [[4, 'fail']],
    );
    assert.deepEqual(forbidden.misses, ['Turn 4: contains "refund"']);
  });

  it('tell every turn with `at: each`', async () => {
    const { turns, hits, misses } = await check('contains', { value: 'refund' }, EACH);
    assert.deepEqual(
      turns.map(({ turn, status }) => [turn, status]),
      [
        [2, 'fail'],
        [4, 'pass'],
      ],
    );
    assert.deepEqual([hits.length, misses.length], [1, 1]);
  });

  it('blame no turn for what all of them lack, and credit none for half of it', async () => {
    const missing = await check('contains', { value: 'lost' });
    assert.deepEqual([missing.turns, missing.hits], [[], []]);
    assert.deepEqual(missing.misses, ['Turns 2, 4: does not contain "lost"']);
    // Turn 4 by itself starts with this, but the whole reply starts with turn 2.
    const later = await check('starts-with', { value: 'The refund' });
    assert.deepEqual([later.turns, later.hits], [[], []]);
    assert.deepEqual(later.misses, ['Turns 2, 4: does not start with "The refund"']);
  });

  it('take a reply of tool calls alone for one without text', async () => {
    const silent = talk(user('Hi'), ...call('look', {}, 'x'));
    assert.equal((await check('contains', { value: 'x' }, {}, silent)).status, 'fail');
    assert.equal((await check('regex', { pattern: '^$' }, {}, silent)).status, 'pass');
  });

  it('run a hostile pattern in linear time', async () => {
    const long = talk(user('Hi'), assistant(`${'a'.repeat(20_000)}!`));
    assert.equal((await check('regex', { pattern: '^(a+)+$' }, {}, long)).status, 'fail');
  });
});

describe('a regex', () => {
  const params = findAssertionType('regex')?.params;
  for (const pattern of ['(?=a)b', '(a)\\1', '(', '']) {
    it(`that is ${JSON.stringify(pattern)} is refused`, () => {
      assert.equal(params?.safeParse({ pattern }).success, false);
    });
  }
});

describe('tool-called', () => {
  const ARGS = { order: '98765', options: { fast: true, tags: ['a', 'b'] } };
  const shop = talk(
    user('Where is it?'),
    ...call('lookup_order', ARGS, 'shipped', '1'),
    assistant('On its way.'),
    user('And again?'),
    ...call('lookup_order', { order: '98765' }, 'shipped', '2'),
    ...call('notify', 'not JSON', 'ok', '3'),
    assistant('Same.'),
  );
  const name = 'lookup_order';
  const rows: [string, object, Partial<Assertion>, number][] = [
    ['by name', { name }, {}, 1],
    ['another tool', { name: 'refund' }, {}, 0],
    ['another tool, negated', { name: 'refund' }, NOT, 1],
    ['by name, negated', { name }, NOT, 0],
    ['twice', { name, times: 2 }, {}, 1],
    ['once, but it was twice', { name, times: 1 }, {}, 0],
    ['once in the last turn', { name, times: 1 }, LAST, 1],
    ['in each turn', { name }, EACH, 1],
    ['another in each turn', { name: 'notify' }, EACH, 0.5],
    ['some arguments', { name, args: { order: '98765' } }, {}, 1],
    ['a nested argument', { name, args: { options: { fast: true } } }, {}, 1],
    ['another value', { name, args: { order: '1' } }, {}, 0],
    ['another type', { name, args: { order: 98765 } }, {}, 0],
    ['an argument that is not there', { name, args: { express: null } }, {}, 0],
    ['an inherited name', { name, args: { constructor: {} } }, {}, 0],
    ['part of a list', { name, args: { options: { tags: ['a'] } } }, {}, 0],
    ['exactly', { name, args: ARGS, match: 'exact' }, FIRST, 1],
    ['exactly, but there are more', { name, args: { order: '98765' }, match: 'exact' }, FIRST, 0],
    ['exactly, alone', { name, args: { order: '98765' }, match: 'exact' }, LAST, 1],
    ['a pattern', { name, args: { order: '^\\d{5}$' }, match: 'pattern' }, {}, 1],
    ['a pattern that does not match', { name, args: { order: '^\\d$' }, match: 'pattern' }, {}, 0],
    [
      'a pattern on a nested value',
      { name, args: { options: { tags: ['.', 'b'] } }, match: 'pattern' },
      {},
      1,
    ],
    [
      'a pattern on a value that is no text',
      { name, args: { options: 'fast' }, match: 'pattern' },
      {},
      1,
    ],
    ['arguments that are no JSON', { name: 'notify' }, {}, 1],
    ['arguments that are no JSON, compared', { name: 'notify', args: { a: 1 } }, {}, 0],
  ];
  for (const [what, params, rest, score] of rows) {
    it(`${what}: ${score}`, async () => {
      const verdict = await check('tool-called', params, rest, shop);
      assert.equal(verdict.score, score);
      assert.equal(verdict.status, score === 1 ? 'pass' : 'fail');
      if (score < 1) assert.ok(verdict.misses.length > 0);
      for (const text of [...verdict.hits, ...verdict.misses]) assert.match(text, /^Turns? \d/);
    });
  }

  it('counts the calls and reports the turns that made them', async () => {
    const verdict = await check('tool-called', { name }, {}, shop);
    assert.equal(verdict.value, 2);
    assert.deepEqual(verdict.details, { calls: 2 });
    assert.deepEqual(verdict.hits, [
      'Turn 2: 1 matching call to lookup_order',
      'Turn 4: 1 matching call to lookup_order',
    ]);
  });

  it('reports an invalid pattern before the run', () => {
    const faults = (args: object, match: string) =>
      findAssertionType('tool-called')?.faults?.({ name, args, match });
    const nested = { order: '1', options: { tags: ['('] } };
    const [fault, ...more] = faults(nested, 'pattern') ?? [];
    assert.deepEqual([fault?.path, more], [['args'], []]);
    assert.match(fault?.message ?? '', /^"\(": .*RE2/);
    assert.deepEqual(faults(nested, 'exact'), []);
    assert.deepEqual(faults({ order: '^1$' }, 'pattern'), []);
  });

  it('is an error if a pattern is invalid', async () => {
    const verdict = await check(
      'tool-called',
      { name, args: { order: '(' }, match: 'pattern' },
      {},
      shop,
    );
    assert.deepEqual([verdict.status, verdict.reason], ['error', 'check-failed']);
  });
});

describe('max-turns', () => {
  const rows: [number, Partial<Assertion>, string][] = [
    [4, {}, 'pass'],
    [3, {}, 'fail'],
    [3, NOT, 'pass'],
  ];
  for (const [max, rest, status] of rows) {
    it(`${max}${rest.negate ? ' negated' : ''} of 4 turns: ${status}`, async () => {
      const verdict = await check('max-turns', { max }, rest);
      assert.equal(verdict.status, status);
      assert.equal(verdict.value, 4);
    });
  }
});
