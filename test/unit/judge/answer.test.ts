import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answerSchema } from '../../../src/assertions/contract.ts';
import { NO_USAGE } from '../../../src/core/verdict.ts';
import { readObject } from '../../../src/judge/answer.ts';
import { judgeRequest } from '../../../src/judge/ask.ts';
import {
  answer,
  away,
  buildAssertion,
  buildPrompt,
  entry,
  fails,
  judgeOne,
} from '../../support/judging.ts';
import { contentFilter, cutOff, emptyContent, refusal } from '../../support/modelServer/faults.ts';
import type { Step } from '../../support/modelServer/steps.ts';
import { judgedTurns, questionsOfAllTypes } from '../../support/questions.ts';

describe('the text of an answer', () => {
  const read = (text: string) =>
    readObject({ text, toolCalls: [], finish: 'stop', usage: NO_USAGE });
  const reasonOf = (text: string) => {
    const result = read(text);
    return 'bad' in result ? result.bad.reason : 'usable';
  };

  const valid: [string, string, object][] = [
    ['plain', '{"a": 1}', { a: 1 }],
    ['in a code fence', '```json\n{"a": 1}\n```', { a: 1 }],
    ['with words around it', 'Here it is: {"a": 1}. Bye', { a: 1 }],
    ['with braces in the words before it', 'As {asked}: {"a": 1}', { a: 1 }],
    ['with braces in the words after it', '{"a": 1} I hope {this} helps', { a: 1 }],
    ['after thoughts with another object', '<think>{"a": 2}</think>\n{"a": 1}', { a: 1 }],
    [
      'after several thoughts',
      '<think>x</think>\n<THINKING>{"a": 2}</Thinking> {"a": 1}',
      { a: 1 },
    ],
    ['after thoughts without an opening tag', 'Let me see.</think>{"a": 1}', { a: 1 }],
    ['after many open braces', `${'{'.repeat(30)} {"a": 1}`, { a: 1 }],
    ['with braces and quotes inside texts', 'x {"a": "}\\"{"} y', { a: '}"{' }],
    ['with thoughts inside a text', '{"a": "<think>x</think>"}', { a: '<think>x</think>' }],
    [
      'with a key in two objects',
      '{"b": [{"a": 1}, {"a": 2}], "a": "\\"a\\": 1"}',
      { b: [{ a: 1 }, { a: 2 }], a: '"a": 1' },
    ],
  ];
  for (const [name, text, object] of valid) {
    it(`is read ${name}`, () => assert.deepEqual(read(text), { object }));
  }

  const invalid: [string, string, string][] = [
    ['with two objects', '{"a": 1} {"a": 2}', 'several-answers'],
    ['with a second object in words', '{"a": 1}\nOr rather {"a": 0}.', 'several-answers'],
    [
      'with a quoted object and many braces',
      `{"a": 1} ${'{'.repeat(20)} {"a": 0}`,
      'several-answers',
    ],
    ['with a quoted and an unfinished object', '{"a": 1} So: {"b": [{"a": 0', 'several-answers'],
    ['with a quoted object and one that is not JSON', '{"a": 1} So: {\'a\': 0}', 'several-answers'],
    [
      'with a quoted object and a quote that is left open',
      'It said {"a": 1} {". So: {"a": 0, "b": "}"} Bye',
      'several-answers',
    ],
    ['with an unfinished object around one', '{"b": {"a": 1}', 'malformed-json'],
    ['with an object in thoughts that are left open', '<think>{"a": 1} No', 'malformed-json'],
    [
      'with an object only in its second thoughts',
      '<think></think><think>{"a": 1}</think>',
      'malformed-json',
    ],
    [
      'with an object only in thoughts of other names',
      '<THINKING>{"a": 1}</THINKING> No',
      'malformed-json',
    ],
    ['with an object before a tag of thoughts', 'Say {"a": 1}</think> No', 'several-answers'],
    ['with a key twice', '{"a": 0, "b": {}, "a": 1}', 'repeated-key'],
    ['with a key twice, once escaped', '{"a": 0, "\\u0061": 1}', 'repeated-key'],
    ['with a key twice in a nested object', '{"b": [{"a": 0, "a": 1}]}', 'repeated-key'],
    ['without an object', 'No, it did not.', 'malformed-json'],
    ['with only a JSON string', '"No"', 'malformed-json'],
    ['that breaks off', '{"a": [1, 2', 'malformed-json'],
    ['with an object only in its thoughts', '<think>{"a": 1}</think>', 'malformed-json'],
    ['without text', '', 'empty-answer'],
    ['of braces alone, in limited time', '{'.repeat(450_000), 'malformed-json'],
    ['that is too long', `{"a": "${'x'.repeat(500_000)}"}`, 'malformed-json'],
  ];
  for (const [name, text, reason] of invalid) {
    it(`is refused ${name}`, () => assert.equal(reasonOf(text), reason));
  }

  it('is refused if it is nested too deep', () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    assert.equal(reasonOf(nested(100)), 'usable');
    assert.equal(reasonOf(nested(50_000)), 'malformed-json');
  });
});

describe('the schema of an answer', () => {
  for (const { type, question } of questionsOfAllTypes()) {
    it(`of ${type} is strict: no extra keys, all keys required, no keyword that endpoints refuse`, () => {
      const schema = answerSchema(question.answer);
      assertStrict(schema);
      assert.match(question.name, /^[A-Za-z0-9_-]{1,64}$/);
    });
    it(`of ${type} requires an entry per turn and a rationale`, () => {
      const text = JSON.stringify(answerSchema(question.answer));
      assert.match(text, /"turns":\{"type":"array"/);
      for (const key of ['turn', 'applicable', 'rationale', 'evidence']) {
        assert.ok(text.includes(`"${key}"`), key);
      }
      const { messages } = judgeRequest('block', question, { temperature: 0 });
      assert.ok(messages[1]?.content.includes(`Turns to judge: ${judgedTurns(type)}.`));
    });
  }
});

const ALLOWED = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'anyOf',
];

function assertStrict(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { type, properties, required, additionalProperties, items, anyOf, description, ...other } =
    schema as Record<string, unknown>;
  assert.deepEqual(
    Object.keys(other).filter((key) => !ALLOWED.includes(key)),
    [],
  );
  assert.ok(description === undefined || typeof description === 'string');
  if (type === 'object') {
    assert.equal(additionalProperties, false);
    assert.deepEqual([...(required as string[])].sort(), Object.keys(properties as object).sort());
    for (const inner of Object.values(properties as object)) assertStrict(inner);
  }
  assertStrict(items);
  if (Array.isArray(anyOf)) for (const inner of anyOf) assertStrict(inner);
}

const PER_TURN = buildAssertion('turn-relevancy');
const SCORED = buildAssertion('llm-judge', {}, { prompt: buildPrompt('{{conversation}}') });
const OUT_OF_10 = buildAssertion(
  'llm-judge',
  { scale: [0, 10] },
  { prompt: buildPrompt('{{conversation}}') },
);
const FRUSTRATION = buildAssertion('user-frustration');
const GOOD = answer(entry(2), entry(4));

/** An answer for `llm-judge` with the given score. */
function scored(score: unknown) {
  return { ...GOOD, details: [], score };
}

function scoredText(score: string): string {
  return JSON.stringify(scored('SCORE')).replace('"SCORE"', score);
}

function frustration(overall: unknown, ...scores: unknown[]) {
  const turns = scores.map((score, index) => ({ ...entry(index * 2 + 1), score }));
  return { turns, overall, rationale: 'As a whole.' };
}

interface Row {
  readonly name: string;
  readonly bad: Step | object;
  readonly reason: string;
  /** Matches the repair request. */
  readonly said: RegExp;
  readonly assertion?: typeof PER_TURN;
}

const { score: _, ...withoutScore } = scored(1);

/** Each bad answer is sent twice: as the first answer and as its repair. */
const rows: readonly Row[] = [
  { name: 'no JSON', bad: 'The agent did well.', reason: 'malformed-json', said: /not JSON/ },
  {
    name: 'JSON that breaks off',
    bad: '{"turns": [{"turn": 2',
    reason: 'malformed-json',
    said: /not JSON/,
  },
  {
    name: 'two answers',
    bad: `${scoredText('0')} ${scoredText('1')}`,
    reason: 'several-answers',
    said: /more than one JSON object/,
    assertion: SCORED,
  },
  {
    name: 'a score twice',
    bad: scoredText('0, "score": 1'),
    reason: 'repeated-key',
    said: /`score` twice/,
    assertion: SCORED,
  },
  { name: 'a list', bad: '[]', reason: 'wrong-type', said: /expected object/ },
  { name: 'empty content', bad: emptyContent(), reason: 'empty-answer', said: /empty/ },
  { name: 'white space', bad: ' \n ', reason: 'empty-answer', said: /empty/ },
  {
    name: 'a missing score',
    bad: withoutScore,
    reason: 'missing-field',
    said: /`score`/,
    assertion: SCORED,
  },
  {
    name: 'text instead of a number',
    bad: scored('high'),
    reason: 'wrong-type',
    said: /`score`.*number/,
    assertion: SCORED,
  },
  {
    name: 'a number in quotes',
    bad: scored('0.9'),
    reason: 'wrong-type',
    said: /`score`.*number/,
    assertion: SCORED,
  },
  { name: 'null', bad: scored(null), reason: 'wrong-type', said: /`score`/, assertion: SCORED },
  {
    name: 'NaN',
    bad: scoredText('NaN'),
    reason: 'not-a-number',
    said: /NaN/,
    assertion: SCORED,
  },
  {
    name: 'Infinity',
    bad: scoredText('-Infinity'),
    reason: 'not-a-number',
    said: /Infinity/,
    assertion: SCORED,
  },
  {
    name: 'a number too large for any',
    bad: scoredText('1e999'),
    reason: 'wrong-type',
    said: /`score`/,
    assertion: SCORED,
  },
  {
    name: '7.5 on 0 to 1',
    bad: scored(7.5),
    reason: 'out-of-range',
    said: /7\.5; it must be 0 to 1/,
    assertion: SCORED,
  },
  {
    name: '85 on 0 to 10',
    bad: scored(85),
    reason: 'out-of-range',
    said: /85; it must be 0 to 10/,
    assertion: OUT_OF_10,
  },
  {
    name: 'a negative score',
    bad: scored(-0.1),
    reason: 'out-of-range',
    said: /-0\.1/,
    assertion: SCORED,
  },
  {
    name: 'a turn twice',
    bad: answer(entry(2), entry(2), entry(4)),
    reason: 'turns-mismatch',
    said: /2 entries for turn 2/,
  },
  {
    name: "a user's turn",
    bad: answer(entry(2), entry(3), entry(4)),
    reason: 'turns-mismatch',
    said: /turn 3, which is not to be judged/,
  },
  {
    name: 'turn 99',
    bad: answer(entry(2), entry(4), entry(99)),
    reason: 'turns-mismatch',
    said: /turn 99/,
  },
  {
    name: 'half a turn',
    bad: answer(entry(2), entry(2.5), entry(4)),
    reason: 'turns-mismatch',
    said: /turn 2\.5/,
  },
  {
    name: 'a missing turn',
    bad: answer(entry(2)),
    reason: 'turns-mismatch',
    said: /no entry for turn 4/,
  },
  { name: 'no turns', bad: answer(), reason: 'turns-mismatch', said: /no entry for turn 2/ },
  {
    name: '"No, it did not" where pass or fail is asked',
    bad: answer(entry(2, { verdict: 'No, it did not' }), entry(4)),
    reason: 'unknown-value',
    said: /turns\.0\.verdict/,
  },
  {
    name: '"yes" where true or false is asked',
    bad: answer(entry(2, { applicable: 'yes' }), entry(4)),
    reason: 'wrong-type',
    said: /turns\.0\.applicable/,
  },
  {
    name: 'a missing quote',
    bad: answer({ turn: 2, applicable: true, verdict: 'pass', rationale: '' }, entry(4)),
    reason: 'missing-field',
    said: /turns\.0\.evidence/,
  },
  {
    name: 'an unknown overall outcome',
    bad: frustration('somewhat', 0, 0),
    reason: 'unknown-value',
    said: /overall/,
    assertion: FRUSTRATION,
  },
  {
    name: 'an overall outcome against its entries',
    bad: frustration('none', 0, 0.9),
    reason: 'contradiction',
    said: /`overall` is none/,
    assertion: FRUSTRATION,
  },
];

describe('a bad answer gets one repair request, and is then an error', () => {
  for (const { name, bad, reason, said, assertion = PER_TURN } of rows) {
    it(`${name}: error ${reason}`, async (t) => {
      const verdict = await judgeOne(t, assertion, [bad, bad]);
      assert.equal(verdict.status, 'error');
      assert.equal(verdict.reason, reason);
      assert.equal(verdict.score, null);
      assert.match(verdict.rationale, said);
      assert.equal(verdict.judge?.model, 'openai:judge');

      const [first, repair, ...more] = verdict.requests;
      assert.equal(more.length, 0);
      const sent = first?.body.messages ?? [];
      const again = repair?.body.messages ?? [];
      assert.deepEqual(again.slice(0, sent.length), sent);
      assert.deepEqual(
        again.slice(sent.length).map(({ role }) => role),
        ['assistant', 'user'],
      );
      assert.match(again.at(-1)?.content ?? '', said);
      assert.equal(verdict.usage.calls, 2);
    });
  }

  it('uses the repaired answer, and counts both requests', async (t) => {
    const verdict = await judgeOne(t, PER_TURN, ['Well …', answer(entry(2), fails(4))]);
    assert.equal(verdict.status, 'pass');
    assert.equal(verdict.score, 0.5);
    assert.equal(verdict.usage.calls, 2);
  });

  it('counts the usage of both requests if the repair request fails', async (t) => {
    const verdict = await judgeOne(t, PER_TURN, ['Well …']);
    assert.equal(verdict.reason, 'bad-request');
    assert.equal(verdict.usage.calls, 2);
    assert.ok(verdict.usage.input_tokens > 0);
  });

  it('limits the list of faults in the repair request', async (t) => {
    const many = answer(...Array.from({ length: 200 }, (_entry, index) => entry(index + 100)));
    const verdict = await judgeOne(t, PER_TURN, [many, GOOD]);
    const repair = verdict.requests[1]?.body.messages.at(-1)?.content ?? '';
    assert.match(repair, /and 182 more like these/);
    assert.equal(verdict.status, 'pass');
  });

  it('limits the list of faults in the verdict', async (t) => {
    const many = { ...answer(), turns: Array.from({ length: 3_000 }, () => null) };
    const verdict = await judgeOne(t, PER_TURN, [many, many]);
    assert.equal(verdict.reason, 'wrong-type');
    assert.match(verdict.rationale, /and 2980 more like these/);
  });
});

describe("an answer that a repair can't fix is an error at once", () => {
  const hopeless: [string, Step, string][] = [
    ['a refusal', refusal('I cannot help with that.'), 'refusal'],
    ['an answer cut off', cutOff(), 'cut-off'],
    ['a whole answer cut off after it', cutOff(JSON.stringify(GOOD)), 'cut-off'],
    ['a content filter', contentFilter(), 'content-filter'],
    ['one that is longer than any', `"${'x'.repeat(500_000)}"`, 'malformed-json'],
    [
      'one whose lists have more entries than any',
      `{"turns": [${Array.from({ length: 5_001 }, () => '{}').join()}], "rationale": ""}`,
      'malformed-json',
    ],
  ];
  for (const [name, bad, reason] of hopeless) {
    it(`${name}: error ${reason}`, async (t) => {
      const verdict = await judgeOne(t, PER_TURN, [bad, GOOD]);
      assert.equal(verdict.status, 'error');
      assert.equal(verdict.reason, reason);
      assert.equal(verdict.requests.length, 1);
      assert.equal(verdict.usage.calls, 1);
    });
  }
});

describe('quotes', () => {
  const evidenceOf = async (t: Parameters<typeof judgeOne>[0], evidence: string) => {
    const verdict = await judgeOne(t, PER_TURN, [answer(entry(2, { evidence }), entry(4))]);
    assert.equal(verdict.status, 'pass');
    return verdict.turns[0]?.evidence;
  };

  it('are verified if they are in their turn, ignoring white space', async (t) => {
    const found = await evidenceOf(t, 'shipped  on\nMonday');
    assert.deepEqual(found, { text: 'shipped  on\nMonday', verified: true });
  });

  it('are kept and marked if they are in no turn', async (t) => {
    const found = await evidenceOf(t, 'shipped on Tuesday');
    assert.deepEqual(found, { text: 'shipped on Tuesday', verified: false });
  });

  it('are marked if they are from another turn', async (t) => {
    assert.equal((await evidenceOf(t, 'The refund was sent today.'))?.verified, false);
  });

  it('are omitted if they are empty', async (t) => {
    assert.equal(await evidenceOf(t, ' '), undefined);
  });

  it("are omitted for turns to which the question doesn't apply", async (t) => {
    const verdict = await judgeOne(t, PER_TURN, [answer(entry(2), away(4, { evidence: 'x' }))]);
    assert.deepEqual(verdict.turns[1], {
      turn: 4,
      status: 'skipped',
      score: null,
      rationale: 'r4',
    });
  });
});

describe('an endpoint without structured output', () => {
  it('may put the answer into a code fence', async (t) => {
    const fenced = `Sure:\n\`\`\`json\n${JSON.stringify(GOOD)}\n\`\`\``;
    assert.equal((await judgeOne(t, PER_TURN, [fenced])).status, 'pass');
  });
});
