import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decisionGraph } from '../../../src/assertions/types/decision-graph.ts';
import type { Assertion } from '../../../src/core/suite.ts';
import { assertRow, FOUR, shownTurns, testMistakes } from '../../support/formulas.ts';
import { answer, away, buildAssertion, entry, judge, judgeOne } from '../../support/judging.ts';

const ABOUT = { conversation: FOUR };

/** An entry for a turn that is relevant to the answer. */
function bears(turn: number, evidence = '') {
  const { verdict: _, ...rest } = entry(turn, { evidence });
  return rest;
}

function not(turn: number) {
  const { verdict: _, ...rest } = away(turn);
  return rest;
}

function said(given: string, ...turns: object[]) {
  const entries = turns.length > 0 ? turns : [not(2), not(4), not(6), not(8)];
  return { ...answer(...entries), rationale: `why ${given}`, answer: given };
}

function graph(nodes: object, rest: Partial<Assertion> = {}, start?: string) {
  return buildAssertion('decision-graph', { nodes, ...(start !== undefined && { start }) }, rest);
}

/** A graph whose node `end` contains another assertion. */
function endingIn(end: Assertion, rest: Partial<Assertion> = {}) {
  const nodes = {
    asked: { type: 'yes-no', question: 'Is it asked?', if_yes: 'end', if_no: 0 },
    end: { type: 'assertion', assert: null },
  };
  return graph(nodes, { nested: [{ path: 'nodes.end.assert', assertion: end }], ...rest });
}

const DONE = { type: 'yes-no', question: 'Is it done?', if_yes: 10, if_no: 2 };
const TONE = {
  type: 'choice',
  question: 'Which tone?',
  choices: { rude: 0, neutral: 5, playful: 'best' },
};
const WHOLE = {
  facts: { type: 'task', instructions: 'List the wishes.', next: 'done' },
  done: { type: 'yes-no', question: 'Is it done?', if_yes: 'tone', if_no: 0 },
  tone: TONE,
  best: { type: 'verdict', score: 9 },
};

describe('decision-graph: the way and its score', () => {
  it('a yes-no question that ends in a score: score ÷ 10', async (t) => {
    const yes = await judgeOne(t, graph({ done: DONE }), [said('yes')], ABOUT);
    assertRow(yes, { score: 1, value: 10, status: 'pass', label: 'yes' });
    const no = await judgeOne(t, graph({ done: DONE }), [said('no')], ABOUT);
    assertRow(no, { score: 0.2, value: 2, status: 'fail', label: 'no' });
    assert.equal(no.rationale, 'done: no → 2 of 10. why no');
  });

  it('every kind of node on one way, one request each; later nodes see what was found', async (t) => {
    const verdict = await judgeOne(
      t,
      graph(WHOLE),
      [said('order, hat'), said('yes', bears(2), not(4), not(6), not(8)), said('playful')],
      ABOUT,
    );
    assertRow(verdict, { score: 0.9, value: 9, status: 'pass', label: 'playful' });
    assert.deepEqual(verdict.details.path, [
      { node: 'facts', asked: 'List the wishes.', answer: 'order, hat', why: 'why order, hat' },
      { node: 'done', asked: 'Is it done?', answer: 'yes', why: 'why yes' },
      { node: 'tone', asked: 'Which tone?', answer: 'playful', why: 'why playful' },
    ]);
    assert.equal(verdict.usage.calls, 3);
    const asked = verdict.requests.map(({ body }) => body.messages[1]?.content ?? '');
    assert.doesNotMatch(asked[0] ?? '', /Found before/);
    assert.match(
      asked[2] ?? '',
      /\| List the wishes\.\nAnswer:\n\| order, hat\n\| Is it done\?\nAnswer:\n\| yes/,
    );
    assert.match(asked[2] ?? '', /one of: rude, neutral, playful/);
  });

  it('only the nodes on the way are asked', async (t) => {
    const verdict = await judgeOne(t, graph(WHOLE), [said('x'), said('no')], ABOUT);
    assertRow(verdict, { score: 0, value: 0, status: 'fail', label: 'no' });
    assert.equal(verdict.requests.length, 2);
  });

  it('`start` begins it elsewhere than at the first node', async (t) => {
    const verdict = await judgeOne(t, graph(WHOLE, {}, 'tone'), [said('neutral')], ABOUT);
    assertRow(verdict, { score: 0.5, status: 'pass' });
  });

  it('a graph that is an end from its beginning asks nothing', async (t) => {
    const verdict = await judgeOne(t, graph({ end: { type: 'verdict', score: 7 } }), [], ABOUT);
    assertRow(verdict, { score: 0.7, value: 7, status: 'pass' });
  });

  it('a choice may be named like the key of another branch', async (t) => {
    const nodes = {
      ask: { type: 'choice', question: '?', choices: { if_yes: 1, yes: 9, no: 3 } },
    };
    assert.equal((await judgeOne(t, graph(nodes), [said('yes')], ABOUT)).value, 9);
    assert.equal((await judgeOne(t, graph(nodes), [said('if_yes')], ABOUT)).value, 1);
  });

  it('turns that the answers rest on share the outcome; the others are skipped', async (t) => {
    const good = await judgeOne(
      t,
      graph(WHOLE),
      [
        said('x', bears(2, 'Answer 1.'), not(4), not(6), not(8)),
        said('yes', not(2), bears(4, 'a lie'), not(6), not(8)),
        said('neutral'),
      ],
      ABOUT,
    );
    assert.deepEqual(shownTurns(good), ['2 pass 0.5', '4 pass 0.5', '6 skipped', '8 skipped']);
    assert.deepEqual(good.turns[0]?.evidence, { text: 'Answer 1.', verified: true });
    assert.deepEqual(good.turns[1]?.evidence, { text: 'a lie', verified: false });
    assert.deepEqual(good.hits, ['Turn 2: facts: r2', 'Turn 4: done: r4']);
    const strict = graph({ done: DONE }, { threshold: 0.7 });
    const bad = await judgeOne(t, strict, [said('no', bears(2), not(4), not(6), not(8))], ABOUT);
    assert.deepEqual(shownTurns(bad), ['2 fail 0.2', '4 skipped', '6 skipped', '8 skipped']);
    assert.deepEqual(bad.misses, ['Turn 2: done: r2']);
  });

  it('a long answer of a task is cut, and complete in `details`', async (t) => {
    const long = 'x'.repeat(100);
    const nodes = { facts: { type: 'task', instructions: 'List.', next: 5 } };
    const verdict = await judgeOne(t, graph(nodes), [said(long)], ABOUT);
    assert.match(verdict.rationale, /^facts: x{40}… → 5 of 10/);
    assert.equal(verdict.label, undefined);
    assert.match(JSON.stringify(verdict.details.path), /x{100}/);
  });

  it('an error of one node is the error of all, and what was asked is paid', async (t) => {
    const bad = said('perhaps');
    const verdict = await judgeOne(t, graph(WHOLE), [said('x'), bad, bad], ABOUT);
    assert.deepEqual([verdict.status, verdict.reason], ['error', 'unknown-value']);
    assert.equal(verdict.usage.calls, 3);
  });
});

testMistakes(graph({ done: DONE }), ABOUT, said('yes'), [
  [
    '"No, it did not" where yes or no is asked',
    said('No, it did not'),
    'unknown-value',
    /`answer`/,
  ],
  ['"Yes"', said('Yes'), 'unknown-value', /`answer`/],
  ['no answer', { ...said('yes'), answer: undefined }, 'missing-field', /`answer`/],
]);

describe('decision-graph: an end that another assertion decides', () => {
  const contains = (value: string, rest: Partial<Assertion> = {}) =>
    buildAssertion('contains', { value }, { name: 'inner', ...rest });

  it('has its score, its label, its turns, and the verdict under `nested`', async (t) => {
    const half = buildAssertion('turn-relevancy', {}, { threshold: 1 });
    const turns = [entry(2), entry(4), { ...entry(6), verdict: 'fail' }, away(8)];
    const verdict = await judgeOne(t, endingIn(half), [said('yes'), answer(...turns)], ABOUT);
    assertRow(verdict, { score: 2 / 3, status: 'pass', label: 'no' });
    assert.deepEqual(shownTurns(verdict), ['2 pass 1', '4 pass 1', '6 fail 0', '8 skipped']);
    const [inner] = verdict.nested ?? [];
    assert.deepEqual([inner?.status, inner?.usage.calls, verdict.usage.calls], ['fail', 1, 2]);
  });

  it('may cost nothing', async (t) => {
    const verdict = await judgeOne(t, endingIn(contains('Answer 4')), [said('yes')], ABOUT);
    assertRow(verdict, { score: 1, value: 10, status: 'pass' });
    assert.equal(verdict.usage.calls, 1);
  });

  it('is not checked where the way does not come to it', async (t) => {
    const verdict = await judgeOne(
      t,
      endingIn(contains('x', { required: true })),
      [said('no')],
      ABOUT,
    );
    assertRow(verdict, { score: 0, status: 'fail' });
    assert.deepEqual([verdict.nested, verdict.assertion.required], [undefined, false]);
  });

  it('skipped: the graph is skipped', async (t) => {
    const verdict = await judgeOne(
      t,
      endingIn(buildAssertion('turn-faithfulness')),
      [said('yes')],
      ABOUT,
    );
    assert.deepEqual([verdict.status, verdict.reason], ['skipped', 'not-applicable']);
    assert.equal(verdict.usage.calls, 1);
  });

  it('not judged but required: gates the case, with its reason and its verdict', async (t) => {
    const end = buildAssertion('coherence', {}, { required: true });
    const verdict = await judgeOne(t, endingIn(end), [said('yes'), 'x', 'x'], ABOUT);
    assert.deepEqual(
      [verdict.status, verdict.reason, verdict.assertion.required],
      ['error', 'malformed-json', true],
    );
    assert.equal(verdict.nested?.[0]?.reason, 'malformed-json');
  });

  it('not judged: the graph is an error that names it', async (t) => {
    const beyond = contains('x', { at: { kind: 'turns', turns: [99] } });
    const verdict = await judgeOne(t, endingIn(beyond), [said('yes')], ABOUT);
    assert.equal(verdict.status, 'error');
    assert.match(verdict.rationale, /“inner” could not be judged: .*there is no turn 99/);
  });

  it('`required` and failed: the graph fails and gates the case, whatever its threshold', async (t) => {
    const gate = contains('nowhere', { required: true });
    for (const threshold of [0, 0.5]) {
      const verdict = await judgeOne(t, endingIn(gate, { threshold }), [said('yes')], ABOUT);
      assert.deepEqual(
        [verdict.status, verdict.score, verdict.assertion.required],
        ['fail', 0, true],
      );
    }
  });
});

describe('decision-graph: faults reported while typing', () => {
  const faults = (nodes: object, start?: string) =>
    (decisionGraph.faults?.({ nodes, ...(start !== undefined && { start }) }) ?? []).map(
      ({ path, message }) => `${path.join('.')}: ${message}`,
    );
  const ask = (if_yes: string | number, if_no: string | number = 0) => ({
    type: 'yes-no',
    question: '?',
    if_yes,
    if_no,
  });
  const choose = (choices: object) => ({ type: 'choice', question: '?', choices });

  const rows: [string, string[], RegExp[]][] = [
    ['none', faults(WHOLE), []],
    [
      'two ways that meet again are no circle',
      faults({ a: ask('b', 'c'), b: ask('c'), c: ask(1) }),
      [],
    ],
    ['a circle', faults({ a: ask('b'), b: ask('a') }), [/^nodes\.b\.if_yes: .*back to "a".*cycle/]],
    ['a node that leads to itself', faults({ a: ask('a') }), [/^nodes\.a\.if_yes: .*cycle/]],
    [
      'a circle of tasks',
      faults({
        a: { type: 'task', instructions: 'x', next: 'b' },
        b: { type: 'task', instructions: 'x', next: 'a' },
      }),
      [/^nodes\.b\.next: .*cycle/],
    ],
    ['two circles', faults({ a: ask('b', 'a'), b: ask('a') }), [/cycle/, /cycle/]],
    [
      'a branch that ends nowhere',
      faults({ a: ask('hat') }),
      [/^nodes\.a\.if_yes: There is no node "hat"/],
    ],
    [
      'a branch named like a property of every object',
      faults({ a: ask('toString') }),
      [/no node "toString"/],
    ],
    [
      'a choice that ends nowhere',
      faults({ a: choose({ x: 'y', z: 1 }) }),
      [/^nodes\.a\.choices\.x: .*no node "y"/],
    ],
    [
      'a node that is never reached',
      faults({ a: ask(1), b: ask(2) }),
      [/^nodes\.b: .*unreachable/],
    ],
    [
      'nodes before the start',
      faults({ a: ask('b'), b: ask(2) }, 'b'),
      [/^nodes\.a: .*unreachable/],
    ],
    [
      'a start that is not there',
      faults({ a: ask(1) }, 'b'),
      [/^start: There is no node "b"\. Known: a\./],
    ],
    ['a choice of one', faults({ a: choose({ x: 1 }) }), [/^nodes\.a\.choices: .*at least two/]],
    ['a choice of none', faults({ a: choose({}) }), [/at least two/]],
    [
      'an answer twice, but for capitals',
      faults({ a: choose({ Good: 1, 'good ': 2, bad: 0 }) }),
      [/^nodes\.a\.choices\.good : Duplicate answer/],
    ],
    ['no node', faults({}), [/^nodes: .*at least one node/]],
  ];
  for (const [name, found, expected] of rows) {
    it(name, () => {
      assert.equal(found.length, expected.length, found.join('\n'));
      for (const [index, pattern] of expected.entries()) assert.match(found[index] ?? '', pattern);
    });
  }

  it('that schemas tell: a missing branch, a score beyond 10, an unknown kind, a blank question', () => {
    const { if_no: _, ...half } = ask(1);
    const wrong = [
      half,
      ask(11),
      ask(-1),
      { ...ask(1), type: 'maybe' },
      { ...ask(1), question: ' ' },
      { type: 'verdict' },
    ];
    for (const node of wrong) {
      assert.equal(
        decisionGraph.params.safeParse({ nodes: { a: node } }).success,
        false,
        JSON.stringify(node),
      );
    }
  });

  it('a long chain is checked without running out of stack', () => {
    const nodes = Object.fromEntries(
      Array.from({ length: 20_000 }, (_one, index) => [
        `n${index}`,
        { type: 'task', instructions: 'x', next: index === 19_999 ? 'n0' : `n${index + 1}` },
      ]),
    );
    assert.match(faults(nodes).join(), /^nodes\.n19999\.next: .*cycle/);
  });
});

describe('decision-graph: what cannot be run', () => {
  it('a circle that reached it all the same ends as an error', async (t) => {
    const circle = { a: { ...DONE, if_yes: 'b' }, b: { ...DONE, if_yes: 'a' } };
    const verdict = await judgeOne(t, graph(circle), [said('yes'), said('yes')], ABOUT);
    assert.equal(verdict.status, 'error');
    assert.match(verdict.rationale, /cannot continue at "a"/);
  });

  it('a node that is not there is an error', async (t) => {
    const { verdicts } = await judge(
      t,
      () => ({ text: JSON.stringify(said('yes')) }),
      [graph({ a: { ...DONE, if_yes: 'toString' } })],
      ABOUT,
    );
    assert.equal(verdicts[0]?.status, 'error');
  });
});

describe('decision-graph: a node that looks at some turns', () => {
  const nodes = {
    greeting: { type: 'yes-no', question: 'Does it greet?', at: 'first', if_yes: 'end', if_no: 0 },
    end: { type: 'yes-no', question: 'Is it done?', at: [-1], if_yes: 10, if_no: 0 },
  };

  it('is asked about these, and the verdict holds the turns of all nodes', async (t) => {
    const verdict = await judgeOne(
      t,
      graph(nodes),
      [said('yes', bears(2)), said('yes', bears(8))],
      ABOUT,
    );
    assert.deepEqual(
      verdict.requests.map(({ body }) => body.messages[1]?.content?.split('\n').at(-1)),
      ['Turns to judge: 2.', 'Turns to judge: 8.'],
    );
    assert.deepEqual(
      verdict.turns.map(({ turn }) => turn),
      [2, 8],
    );
    assert.equal(verdict.score, 1);
  });

  it('is an error where the conversation does not have them', async (t) => {
    const far = { far: { ...nodes.end, at: 20 } };
    const { status, rationale, requests } = await judgeOne(t, graph(far), [], ABOUT);
    assert.equal(status, 'error');
    assert.match(rationale, /The node "far": there is no turn 20; the last is turn 8\./);
    assert.equal(requests.length, 0);
  });
});
