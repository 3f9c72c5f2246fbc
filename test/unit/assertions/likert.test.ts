import type { FormulaRow } from '../../support/formulas.ts';
import { FOUR, testFormulas, testMistakes } from '../../support/formulas.ts';
import { answer, away, buildAssertion, entry, fails } from '../../support/judging.ts';

/** The judged types with a value from 1 to 5. */

const ABOUT = { conversation: FOUR };
const TURNS = [entry(2), fails(4), entry(6), away(8)];

const more: Readonly<Record<string, object>> = {
  'customer-satisfaction': { helpfulness: 2, completeness: 4, tone: 5 },
  coherence: { user_incoherent: false },
  'intent-resolution': {},
};

for (const [type, own] of Object.entries(more)) {
  const assertion = buildAssertion(type);
  const said = (value: unknown, rest: object = {}) => ({
    ...answer(...TURNS),
    ...own,
    value,
    ...rest,
  });
  const values = [1, 2, 3, 4, 5].map(
    (value): FormulaRow => ({
      name: `(value − 1) ÷ 4 of ${value}`,
      said: said(value),
      score: (value - 1) / 4,
      value,
      status: value >= 3 ? 'pass' : 'fail',
      turns: ['2 pass 1', '4 fail 0', '6 pass 1', '8 skipped'],
      hits: ['Turn 2: r2', 'Turn 6: r6'],
      misses: ['Turn 4: r4'],
      details: type === 'customer-satisfaction' ? { helpfulness: 2, completeness: 4, tone: 5 } : {},
    }),
  );
  testFormulas(assertion, ABOUT, [
    ...values,
    {
      name: 'a threshold of 4 is one of 0.75',
      said: said(4),
      assertion: buildAssertion(type, {}, { threshold: 0.75 }),
      score: 0.75,
      status: 'pass',
    },
  ]);
  testMistakes(assertion, ABOUT, said(3), [
    ['6 of 5', said(6), 'out-of-range', /`value` is 6; it must be 1 to 5/],
    ['0 of 5', said(0), 'out-of-range', /`value` is 0/],
    ['85', said(85), 'out-of-range', /`value` is 85/],
    ['half a point', said(3.5), 'out-of-range', /`value` is 3\.5; it must be a whole number/],
    ['a number in quotes', said('4'), 'wrong-type', /`value`/],
    ['null', said(null), 'wrong-type', /`value`/],
    ['no value', said(undefined), 'missing-field', /`value`/],
  ]);
}

const satisfaction = buildAssertion('customer-satisfaction');
const rated = { helpfulness: 3, completeness: 3, tone: 3, value: 3 };
testMistakes(satisfaction, ABOUT, { ...answer(...TURNS), ...rated }, [
  [
    'an aspect out of range',
    { ...answer(...TURNS), ...rated, tone: 9 },
    'out-of-range',
    /`tone` is 9/,
  ],
  [
    'an aspect missing',
    { ...answer(...TURNS), ...rated, tone: undefined },
    'missing-field',
    /`tone`/,
  ],
]);

testFormulas(buildAssertion('coherence'), ABOUT, [
  {
    name: 'the user makes it incoherent: skipped, whatever the value',
    said: { ...answer(...TURNS), user_incoherent: true, value: 1 },
    score: null,
    status: 'skipped',
    reason: 'user-incoherent',
    turns: ['2 skipped', '4 skipped', '6 skipped', '8 skipped'],
  },
]);
