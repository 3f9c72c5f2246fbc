import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type SequenceMatch, toolSequence } from '../../../src/assertions/types/tool-sequence.ts';
import type { Conversation } from '../../../src/core/conversation.ts';
import { EACH, findingOf, NOT, replies, statuses } from '../../support/deterministic.ts';
import { assistant, call } from '../../support/judging.ts';

/** One reply per text: `ab` calls a, then b. Each call's arguments contain its position in the turn. */
function calling(...turns: string[]): Conversation {
  return replies(
    ...turns.map((letters, turn) => [
      ...[...letters].flatMap((letter, index) =>
        call(letter, { at: index, fast: true }, 'ok', `${turn}.${index}`),
      ),
      assistant('Done.'),
    ]),
  );
}

describe('tool-sequence', () => {
  // Each row has the calls of one reply, and then the score for each match mode in `ways`.
  const ways: SequenceMatch[] = [
    'exact',
    'in-order',
    'any-order',
    'unordered',
    'subset',
    'superset',
  ];
  const rows: [tools: string, calls: string, scores: number[]][] = [
    ['ab', 'ab', [1, 1, 1, 1, 1, 1]],
    ['ab', 'ba', [0, 0, 1, 1, 1, 1]],
    ['ab', 'axb', [0, 1, 1, 0, 0, 1]],
    ['ab', 'xaby', [0, 1, 1, 0, 0, 1]],
    ['ab', 'aab', [0, 1, 1, 0, 0, 1]],
    ['ab', 'a', [0, 0, 0, 0, 1, 0]],
    ['ab', '', [0, 0, 0, 0, 1, 0]],
    ['ab', 'x', [0, 0, 0, 0, 0, 0]],
    ['aa', 'a', [0, 0, 0, 0, 1, 0]],
    ['aa', 'axa', [0, 1, 1, 0, 0, 1]],
    ['aba', 'aab', [0, 0, 1, 1, 1, 1]],
    ['aba', 'ab', [0, 0, 0, 0, 1, 0]],
  ];
  for (const [tools, calls, scores] of rows) {
    for (const [index, match] of ways.entries()) {
      const score = scores[index] ?? Number.NaN;
      const params = { tools: [...tools], match };
      it(`${match} of ${tools} over "${calls}": ${score}`, async () => {
        const finding = await findingOf(toolSequence, params, calling(calls));
        assert.equal(finding.score, score);
        assert.deepEqual(statuses(finding), [`2 ${score === 1 ? 'pass' : 'fail'}`]);
        const [cited, other] =
          score === 1 ? [finding.hits, finding.misses] : [finding.misses, finding.hits];
        assert.ok(cited.length > 0);
        assert.deepEqual(other, []);
        for (const text of cited) assert.match(text, /^Turn 2: /);
      });
      it(`${match} of ${tools} over "${calls}", negated: ${1 - score}`, async () => {
        const finding = await findingOf(toolSequence, params, calling(calls), NOT);
        assert.equal(finding.score, 1 - score);
        assert.deepEqual(statuses(finding), [`2 ${score === 1 ? 'fail' : 'pass'}`]);
      });
    }
  }

  it('is in order by default', async () => {
    assert.equal((await findingOf(toolSequence, { tools: ['a', 'b'] }, calling('axb'))).score, 1);
  });

  it('reads the calls of several turns as one sequence, and each alone with `at: each`', async () => {
    const tools = ['a', 'b'];
    const talk = calling('a', '', 'b', 'ab');
    const whole = await findingOf(toolSequence, { tools }, talk);
    assert.deepEqual([whole.score, whole.details], [1, { match: 'in-order', calls: [...'abab'] }]);
    assert.deepEqual(statuses(whole), ['2 pass', '6 pass', '8 pass']);
    assert.deepEqual(whole.hits, ['Turn 2: called a', 'Turn 6: called b', 'Turn 8: called a, b']);
    const each = await findingOf(toolSequence, { tools }, talk, EACH);
    assert.equal(each.score, 0.25);
    assert.deepEqual(statuses(each), ['2 fail', '4 fail', '6 fail', '8 pass']);
    assert.equal((await findingOf(toolSequence, { tools }, talk, { ...EACH, ...NOT })).score, 0.75);
  });

  const told: [
    what: string,
    match: SequenceMatch,
    tools: string,
    turns: string[],
    misses: string[],
  ][] = [
    ['missing', 'in-order', 'ab', ['a', 'x'], ['Turns 2, 4: b was not called']],
    ['too seldom', 'in-order', 'aba', ['a', 'b'], ['Turns 2, 4: a was not called often enough']],
    [
      'out of place',
      'in-order',
      'ab',
      ['b', 'a'],
      ['Turn 2: called b out of order: expected after a'],
    ],
    [
      'not wanted',
      'exact',
      'ab',
      ['a', 'xb'],
      ['Turn 4: called x {"at":0,"fast":true}, which is not expected'],
    ],
    [
      'out of place, exactly',
      'exact',
      'ab',
      ['b', 'a'],
      [
        'Turn 2: called b out of order: expected a as call 1',
        'Turn 4: called a out of order: expected b as call 2',
      ],
    ],
    [
      'missing and not wanted',
      'exact',
      'ab',
      ['ax'],
      ['Turn 2: b was not called', 'Turn 2: called x {"at":1,"fast":true}, which is not expected'],
    ],
    [
      'not listed',
      'subset',
      'a',
      ['a', 'x'],
      ['Turn 4: called x {"at":0,"fast":true}, which is not expected'],
    ],
    ['never', 'superset', 'ab', ['a', ''], ['Turns 2, 4: b was not called']],
  ];
  for (const [what, match, tools, turns, misses] of told) {
    it(`reports calls that are ${what} with ${match}`, async () => {
      const finding = await findingOf(
        toolSequence,
        { tools: [...tools], match },
        calling(...turns),
      );
      assert.deepEqual(finding.misses, misses);
      assert.deepEqual(finding.hits, []);
    });
  }

  it('blames only the turn whose call is wrong', async () => {
    const finding = await findingOf(
      toolSequence,
      { tools: ['a'], match: 'subset' },
      calling('a', 'x'),
    );
    assert.deepEqual(statuses(finding), ['4 fail']);
  });

  it('compares arguments, others allowed', async () => {
    const second = { name: 'a', args: { at: 1 } };
    const score = async (tools: unknown[], match: SequenceMatch, calls: string) =>
      (await findingOf(toolSequence, { tools, match }, calling(calls))).score;
    assert.equal(await score([second], 'in-order', 'aa'), 1);
    assert.equal(await score([second], 'in-order', 'a'), 0);
    assert.equal(await score([second, 'a'], 'in-order', 'aa'), 0);
    // The first entry matches both calls, and must leave the second call to the second entry.
    assert.equal(await score(['a', second], 'any-order', 'aa'), 1);
    assert.equal(await score([second, 'a'], 'any-order', 'aa'), 1);
    assert.equal(await score([second, second], 'any-order', 'aa'), 0);
    assert.equal(await score([second], 'subset', 'aa'), 0);
    const { misses } = await findingOf(toolSequence, { tools: [second] }, calling('a'));
    assert.deepEqual(misses, ['Turn 2: a with {"at":1} was not called']);
  });

  it('pairs thousands of calls of one tool in moderate time', async () => {
    const called = 'a'.repeat(2000);
    const score = async (tools: string, match: SequenceMatch) =>
      (await findingOf(toolSequence, { tools: [...tools], match }, calling(called))).score;
    assert.equal(await score(called, 'unordered'), 1);
    assert.equal(await score(`${called}aa`, 'unordered'), 0);
    assert.equal(await score(called.repeat(2), 'any-order'), 0);
  });

  it('pairs as many calls as possible, whatever the order', async () => {
    const at = (...places: number[]) => places.map((place) => ({ name: 'a', args: { at: place } }));
    const score = async (tools: unknown[], calls: string) =>
      (await findingOf(toolSequence, { tools, match: 'unordered' }, calling(calls))).score;
    const loose = [{ name: 'a', args: { fast: true } }, 'a'];
    assert.equal(await score([...loose, ...at(0, 1)], 'aaaa'), 1);
    assert.equal(await score([...loose, ...at(3, 2)], 'aaaa'), 1);
    assert.equal(await score([...at(0), ...loose, ...at(1)], 'aaaa'), 1);
    assert.equal(await score([...loose, ...at(0, 0)], 'aaaa'), 0);
    assert.equal(await score([...loose, ...at(0, 4)], 'aaaa'), 0);
  });

  const wanted = { name: 'a', args: { at: 0, where: { x: 1, y: 2 } } };
  const given = (args: object) => replies([...call('a', args, 'ok'), assistant('Done.')]);
  const compared: [given: object, scores: Record<string, number>][] = [
    [
      { at: 0, where: { x: 1, y: 2 } },
      { ignore: 1, exact: 1, subset: 1, superset: 1 },
    ],
    [
      { at: 0, where: { x: 1, y: 2 }, z: 3 },
      { ignore: 1, exact: 0, subset: 0, superset: 1 },
    ],
    [{ at: 0 }, { ignore: 1, exact: 0, subset: 1, superset: 0 }],
    [
      { at: 9, where: { x: 1, y: 2 } },
      { ignore: 1, exact: 0, subset: 0, superset: 0 },
    ],
    [{}, { ignore: 1, exact: 0, subset: 1, superset: 0 }],
  ];
  for (const [args, scores] of compared) {
    for (const [compare, score] of Object.entries(scores)) {
      it(`compares ${JSON.stringify(args)} by ${compare}: ${score}`, async () => {
        const whole = { tools: [wanted], args: compare };
        assert.equal((await findingOf(toolSequence, whole, given(args))).score, score);
        const alone = { tools: [{ ...wanted, compare }], args: 'exact' };
        assert.equal((await findingOf(toolSequence, alone, given(args))).score, score);
      });
    }
  }

  it('compares the keys that are named, also further in', async () => {
    const score = async (args: string[], made: object) =>
      (await findingOf(toolSequence, { tools: [wanted], args }, given(made))).score;
    assert.equal(await score(['at'], { at: 0, where: 'else' }), 1);
    assert.equal(await score(['where.x'], { at: 5, where: { x: 1, y: 5 } }), 1);
    assert.equal(await score(['where.x', 'at'], { at: 5, where: { x: 1 } }), 0);
    assert.equal(await score(['where.y'], { at: 0 }), 0);
  });

  it('refuses keys to compare that no `args` have', () => {
    const faults = (params: object) => toolSequence.faults?.({ match: 'exact', ...params });
    const fault = (path: (string | number)[], message: string) => [{ path, message }];
    assert.deepEqual(faults({ tools: [wanted, 'b'], args: ['at', 'where.x'] }), []);
    assert.deepEqual(
      faults({ tools: [wanted, 'b'], args: ['at', 'wher'] }),
      fault(['args', 1], 'No entry of `tools` has "wher" in its `args`. Did you mean "where"?'),
    );
    assert.deepEqual(
      faults({ tools: ['b'], args: ['city'] }),
      fault(
        ['args', 0],
        'No entry of `tools` has "city" in its `args`. Add it to the `args` of an entry.',
      ),
    );
    const other = { name: 'b', args: { of: 1 }, compare: ['at'] };
    assert.deepEqual(faults({ tools: [wanted, other] })?.[0]?.path, ['tools', 1, 'compare', 0]);
  });

  it('refuses an empty list and an entry without a name', () => {
    for (const tools of [[], [''], [{ args: {} }], [{ name: 'a', times: 2 }]]) {
      assert.equal(toolSequence.params.safeParse({ tools }).success, false);
    }
  });
});
