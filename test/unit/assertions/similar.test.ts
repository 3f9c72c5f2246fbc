import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRow, FOUR, type FormulaRow } from '../../support/formulas.ts';
import { assistant, buildAssertion, call, judgeOne, talk, user } from '../../support/judging.ts';

const MODEL = { id: 'openai:embed', provider: 'openai', params: {}, folder: '/' };

/**
 * An embedding in two dimensions. `wanted` points along x; a text that names an angle in degrees is rotated by that
 * angle.
 */
function embed(text: string): number[] {
  const radians = (Number(/-?\d+/.exec(text)?.[0] ?? 0) * Math.PI) / 180;
  return [2 * Math.cos(radians), 2 * Math.sin(radians)];
}

const TURNED = talk(user('?'), assistant('turned 60'), user('?'), assistant('turned 0'));
const ONCE = talk(user('?'), assistant('turned 60'));
const AWAY = talk(user('?'), assistant('turned 120'));

function similar(rest: Parameters<typeof buildAssertion>[2] = {}) {
  return buildAssertion(
    'similar',
    { value: 'wanted', model: 'openai:embed' },
    { model: MODEL, ...rest },
  );
}

const ABOUT = { conversation: ONCE, endpoint: { embed } };
const EACH = { at: { kind: 'each' } } as const;

type Row = Omit<FormulaRow, 'said'> & { readonly assertion: ReturnType<typeof similar> };

const rows: readonly Row[] = [
  {
    name: 'the cosine',
    assertion: similar(),
    score: 0.5,
    status: 'fail',
    turns: ['2 fail 0.5'],
    misses: ['Turn 2: similarity 0.50'],
  },
  {
    name: 'the threshold of the assertion',
    assertion: similar({ threshold: 0.5 }),
    score: 0.5,
    status: 'pass',
    hits: ['Turn 2: similarity 0.50'],
  },
  {
    name: 'a negative cosine is 0',
    assertion: similar(),
    about: { ...ABOUT, conversation: AWAY },
    score: 0,
    status: 'fail',
  },
  {
    name: 'the last turn',
    assertion: similar({ at: { kind: 'last' } }),
    about: { ...ABOUT, conversation: TURNED },
    score: 1,
    status: 'pass',
    turns: ['4 pass 1'],
  },
  {
    name: 'each: the mean over the turns',
    assertion: similar(EACH),
    about: { ...ABOUT, conversation: TURNED },
    score: 0.75,
    status: 'fail',
    turns: ['2 fail 0.5', '4 pass 1'],
  },
  {
    name: 'several turns as one text',
    assertion: similar(),
    about: { ...ABOUT, conversation: TURNED },
    score: 0.5,
    status: 'fail',
    turns: [],
    misses: ['similarity of turns 2, 4: 0.50'],
  },
  {
    name: 'negated: 1 where it stays below the threshold',
    assertion: similar({ negate: true }),
    score: 1,
    status: 'pass',
  },
  {
    name: 'negated: 0 where it reaches the threshold',
    assertion: similar({ negate: true, threshold: 0.5 }),
    score: 0,
    status: 'fail',
  },
  {
    name: 'negated, each',
    assertion: similar({ negate: true, threshold: 0.5, at: { kind: 'each' } }),
    about: {
      ...ABOUT,
      conversation: talk(user('?'), assistant('turned 120'), user('?'), assistant('turned 0')),
    },
    score: 0.5,
    status: 'pass',
    turns: ['2 pass 1', '4 fail 0'],
  },
];

describe('similar', () => {
  for (const { assertion, about = ABOUT, ...row } of rows) {
    it(row.name, async (t) => {
      const verdict = await judgeOne(t, assertion, [], about);
      assertRow(verdict, row);
      assert.equal(verdict.requests.length, 0);
    });
  }

  it('asks for all texts at once and counts what it costs', async (t) => {
    const verdict = await judgeOne(t, similar(EACH), [], { ...ABOUT, conversation: TURNED });
    assert.equal(verdict.usage.calls, 1);
    assert.equal(verdict.usage.input_tokens, 3);
    assert.equal(verdict.judge, undefined);
  });

  it('a turn without words is skipped and not sent: endpoints refuse an empty text', async (t) => {
    const silent = talk(user('?'), ...call('look', {}, 'x'), user('?'), assistant('turned 60'));
    const verdict = await judgeOne(t, similar({ ...EACH, threshold: 0.5 }), [], {
      ...ABOUT,
      conversation: silent,
    });
    assertRow(verdict, { score: 0.5, status: 'pass', turns: ['2 skipped', '4 pass 0.5'] });
    const none = talk(user('?'), ...call('look', {}, 'x'));
    for (const assertion of [similar(), similar(EACH)]) {
      const skipped = await judgeOne(t, assertion, [], { ...ABOUT, conversation: none });
      assert.deepEqual(
        [skipped.status, skipped.reason, skipped.usage.calls],
        ['skipped', 'no-text', 0],
      );
    }
  });

  const faults: [string, Parameters<typeof judgeOne>[3], RegExp][] = [
    ['no embeddings at the endpoint', { conversation: FOUR }, /.+/],
    [
      'vectors of other lengths',
      { conversation: FOUR, endpoint: { embed: (text) => (text === 'wanted' ? [1] : [1, 2]) } },
      /cannot be compared, because they have different lengths \(1 and 2\)/,
    ],
    [
      'a vector of zeros',
      { conversation: FOUR, endpoint: { embed: () => [0, 0] } },
      /cannot be compared/,
    ],
  ];
  for (const [name, about, told] of faults) {
    it(`${name}: an error, never a pass`, async (t) => {
      for (const negate of [false, true]) {
        const verdict = await judgeOne(t, similar({ negate }), [], about);
        assert.equal(verdict.status, 'error');
        assert.match(verdict.rationale, told);
      }
    });
  }

  it('without a model: an error that says what to do', async (t) => {
    const { model: _, ...bare } = similar();
    const verdict = await judgeOne(t, bare, [], ABOUT);
    assert.deepEqual([verdict.status, verdict.reason], ['error', 'bad-request']);
    assert.match(verdict.rationale, /text-embedding-3-small/);
  });
});
