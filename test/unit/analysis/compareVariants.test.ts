import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  compareVariants,
  type VariantComparison,
  type VariantLine,
} from '../../../src/analysis/compareVariants.ts';
import { summaryOf } from '../../../src/core/record/runRecord.ts';
import { NO_USAGE } from '../../../src/core/verdict.ts';
import { runSync } from '../../../src/node/cooperative.ts';
import { terminalLayout } from '../../../src/report/findings/layout.ts';
import {
  variantSentences,
  variantTable,
  variantTexts,
} from '../../../src/report/findings/variantReport.ts';
import { createPaint } from '../../../src/report/style.ts';
import { seededRandom } from '../../../src/statistics/intervals.ts';
import { buildCaseLine } from '../../support/buildRun.ts';

const TWO = ['plain', 'warm'];

interface Execution {
  readonly of?: readonly string[];
  readonly row?: string;
  readonly repetition?: number;
  readonly score?: number;
}

/** An execution of a case, which passes if its score is at least 0.5. */
function line(id: string, name: string, status: VariantLine['status'], built: Execution = {}) {
  const { of = TWO, row, repetition = 1, score = status === 'pass' ? 1 : 0 } = built;
  return summaryOf(
    buildCaseLine({
      ...{ id, status, repetition },
      score: status === 'pass' || status === 'fail' ? score : null,
      variant: row === undefined ? name : `${row}/${name}`,
      target_variant: { name, of: [...of] },
    }),
  );
}

function compared(lines: readonly VariantLine[]): VariantComparison {
  const [first, ...others] = runSync(compareVariants(lines));
  assert.ok(first && others.length === 0);
  return first;
}

/** The conclusion about each variant except the first. */
function conclusions({ differences }: VariantComparison): string[] {
  return differences.map(({ passes, scores }) => {
    const found = [passes, scores].flatMap((one) => one?.says ?? []);
    return found.find((says) => says === 'worse' || says === 'better') ?? found[0] ?? 'nothing';
  });
}

/** A run of 60 cases with graded scores. @param chances probability of passing, by variant */
function simulated(seed: number, chances: readonly number[], repetitions = 1): VariantLine[] {
  const random = seededRandom(seed);
  const of = chances.map((_, index) => `variant-${index}`);
  return Array.from({ length: 60 }, (_, id) =>
    chances.flatMap((chance, index) =>
      Array.from({ length: repetitions }, (_, repetition) => {
        const passes = random() < chance;
        const score = (passes ? 0.5 : 0) + random() / 2;
        const built = { of, repetition: repetition + 1, score };
        return line(`case-${id}`, of[index] ?? '', passes ? 'pass' : 'fail', built);
      }),
    ),
  ).flat();
}

/** Number of simulations in which a variant is called better or worse. */
function findings(chances: readonly number[], repetitions?: number): number {
  const runs = Array.from({ length: 100 }, (_, seed) => simulated(seed, chances, repetitions));
  return runs.filter((run) => conclusions(compared(run)).some((says) => /worse|better/.test(says)))
    .length;
}

describe('planted differences of variants in 100 simulated runs', () => {
  it('are found in at least 95', () => {
    const better = Array.from({ length: 100 }, (_, seed) =>
      conclusions(compared(simulated(seed, [0.5, 0.9]))).join(),
    ).filter((says) => says === 'better');
    assert.ok(better.length >= 95, `${better.length} of 100`);
  });

  it('are found in at least 95 of those with repetitions, which need smaller ones', () => {
    const found = findings([0.55, 0.8], 3);
    assert.ok(found >= 95, `${found} of 100`);
  });

  for (const [what, chances, repetitions] of [
    ['two equal variants', [0.7, 0.7], 1],
    ['four equal variants, of which three are compared with the first', [0.7, 0.7, 0.7, 0.7], 1],
    ['two equal variants with repetitions', [0.7, 0.7], 3],
  ] as const) {
    it(`are found in at most 5 of ${what}`, () => {
      const found = findings(chances, repetitions);
      assert.ok(found <= 5, `${found} of 100`);
    });
  }
});

/** The given numbers of cases that pass with neither variant, only the first, only the second, or both. */
function counts(neither: number, first: number, second: number, both: number): VariantLine[] {
  const groups = [
    [neither, 'fail', 'fail'],
    [first, 'pass', 'fail'],
    [second, 'fail', 'pass'],
    [both, 'pass', 'pass'],
  ] as const;
  return groups.flatMap(([count, plain, warm], group) =>
    Array.from({ length: count }, (_, index) => [
      line(`case-${group}-${index}`, 'plain', plain),
      line(`case-${group}-${index}`, 'warm', warm),
    ]).flat(),
  );
}

describe('comparing the variants of a run', () => {
  for (const [what, lines, sentence] of [
    [
      'which passes more, and that this is unlikely to be due to chance',
      counts(5, 1, 9, 45),
      '"warm" passes 8 more of 60 cases than "plain". This is unlikely to be due to chance (p = 0.021).',
    ],
    [
      'that it passes fewer',
      counts(0, 12, 0, 48),
      '"warm" passes 12 fewer of 60 cases than "plain". This is unlikely to be due to chance (p = 0.00049).',
    ],
    [
      'that a difference could be due to chance',
      counts(10, 2, 4, 44),
      '"warm" passes 2 more of 60 cases than "plain". The difference could be due to chance (p = 0.69).',
    ],
    [
      'that both pass equally many',
      counts(10, 3, 3, 44),
      '"warm" and "plain" pass the same number of cases: 47 of 60.',
    ],
    [
      'that there are too few cases',
      counts(1, 0, 2, 1),
      '"warm" passes 2 more of 4 cases than "plain". 4 cases are too few to tell: at least 6 would have to change in the same direction.',
    ],
    [
      'that there is no case with both',
      [line('a', 'plain', 'pass'), line('b', 'warm', 'pass')],
      'No case has results for both "warm" and "plain".',
    ],
  ] as const) {
    it(`says ${what}`, () => {
      assert.deepEqual(variantSentences(compared(lines)), [sentence]);
    });
  }

  it('says that only the scores differ', () => {
    const lines = Array.from({ length: 40 }, (_, id) => [
      line(`case-${id}`, 'plain', 'pass', { score: 0.6 }),
      line(`case-${id}`, 'warm', 'pass', { score: 0.7 }),
    ]).flat();
    assert.deepEqual(variantSentences(compared(lines)), [
      '"warm" and "plain" pass the same number of cases: 40 of 40. The mean score of "warm" is 0.10 higher, which is unlikely to be due to chance (p < 0.0001).',
    ]);
  });

  it('goes by the share of passing repetitions, a case being one pair', () => {
    const lines = Array.from({ length: 30 }, (_, id) =>
      [1, 2].flatMap((repetition) => [
        line(`case-${id}`, 'plain', repetition === 1 ? 'pass' : 'fail', { repetition }),
        line(`case-${id}`, 'warm', 'pass', { repetition }),
      ]),
    ).flat();
    assert.match(
      variantSentences(compared(lines)).join(),
      /^"warm" has a pass rate of 1\.00 and "plain" of 0\.50, over 30 cases\. This is unlikely/,
    );
  });

  it('pairs rows of a data set with themselves, in any order of the record', () => {
    const lines = ['a', 'b', 'c'].flatMap((row) => [
      line('one', 'warm', 'pass', { row }),
      line('one', 'plain', row === 'a' ? 'fail' : 'pass', { row }),
    ]);
    const { variants, differences } = compared(lines.reverse());
    assert.deepEqual(
      variants.map(({ name, cases }) => [name, cases]),
      [
        ['plain', 3],
        ['warm', 3],
      ],
    );
    const [{ passes } = { passes: null }] = differences;
    assert.deepEqual([passes?.worse, passes?.better, passes?.cases], [0, 1, 3]);
  });

  it('counts errors separately, and pairs only cases with results of both', () => {
    const lines = [
      ...counts(0, 0, 2, 2),
      line('broken', 'plain', 'error'),
      line('broken', 'warm', 'pass'),
    ];
    const { variants, differences } = compared(lines);
    assert.deepEqual(
      variants.map(({ cases, errored, passRate }) => [cases, errored, passRate]),
      [
        [4, 1, 0.5],
        [5, 0, 1],
      ],
    );
    assert.equal(differences[0]?.passes?.cases, 4);
  });

  it('compares each set of variants on its own, and none with a single variant', () => {
    const lines = [
      ...counts(0, 1, 1, 1),
      line('x', 'a', 'pass', { of: ['a', 'b'] }),
      line('x', 'b', 'fail', { of: ['a', 'b'] }),
      line('y', 'only', 'pass', { of: ['only', 'gone'] }),
      summaryOf(buildCaseLine({ id: 'z', status: 'pass' })),
    ];
    const found = runSync(compareVariants(lines));
    assert.deepEqual(
      found.map(({ variants }) => variants.map(({ name }) => name)),
      [
        ['plain', 'warm'],
        ['a', 'b'],
      ],
    );
  });

  it('compares suites that include the same file, under names that tell them apart', () => {
    const included = (suite: string, name: string, status: VariantLine['status']) => {
      const built = buildCaseLine({ id: 'a', status, score: 1, suite: `/w/${suite}` });
      const source = { ...built.source, path: '/w/cases.yaml' };
      return summaryOf({ ...built, suite_name: name, source });
    };
    const named = (...lines: readonly VariantLine[]) =>
      runSync(compareVariants(lines)).map(({ variants }) => variants.map(({ name }) => name));
    const [plain, warm] = ['plain', 'warm'].map((name) =>
      included(`${name}.eval.yaml`, name, name === 'warm' ? 'pass' : 'fail'),
    );
    assert.ok(plain && warm);
    assert.deepEqual(named(plain, warm), [['plain', 'warm']]);
    assert.deepEqual(
      compared([plain, warm]).variants.map(({ latency }) => latency),
      [null, null],
    );
    assert.deepEqual(named(plain, { ...warm, suite_name: 'plain' }), [
      ['plain.eval.yaml', 'warm.eval.yaml'],
    ]);
    assert.deepEqual(named(plain, { ...warm, source: { path: '/w/other.yaml' } }), []);
    assert.deepEqual(named(plain), []);
  });

  it("shows the target's cost and the median reply time, unless they are unknown", () => {
    const usage = { ...NO_USAGE, calls: 1, cost: 0.5 };
    const timed = (name: string, latencies: number[], more: object) => ({
      ...line(`case-${latencies[0]}`, name, 'pass'),
      latencies,
      ...more,
    });
    const { variants } = compared([
      timed('plain', [100, 900], { target_usage: usage }),
      timed('plain', [200], { target_usage: usage }),
      timed('warm', [300], { target_usage: usage }),
      timed('warm', [500], { target_usage: { ...usage, cost: 0, from_cache: 1 } }),
    ]);
    assert.deepEqual(
      variants.map(({ cost, latency }) => [cost, latency]),
      [
        [1, 200],
        [null, 400],
      ],
    );
    const [text = ''] = variantTexts(
      [{ of: TWO, variants, differences: [] }],
      terminalLayout(createPaint(false)),
    );
    assert.match(text, /plain .* 1\.0000 +200 ms\nwarm .* – +400 ms/);
  });

  it('shows only columns that say something', () => {
    const head = (lines: readonly VariantLine[]) => variantTable(compared(lines)).head.join();
    const plain = counts(2, 0, 2, 4);
    assert.equal(head(plain), 'Variant,Cases,Pass rate,Change,95% CI,p');
    const graded = plain.map((one) => ({ ...one, score: 0.5, latencies: [10] }));
    assert.equal(head(graded), 'Variant,Cases,Pass rate,Mean score,Change,95% CI,p,Median reply');
    const broken = [...plain, line('x', 'plain', 'error')];
    assert.equal(head(broken), 'Variant,Cases,Errors,Pass rate,Change,95% CI,p');
  });

  it('survives a record that names variants at will', () => {
    const forged = Array.from({ length: 50 }, (_, index) =>
      ['a', 'b'].map((name) => line(`case-${index}`, name, 'pass', { of: ['a', 'b', `${index}`] })),
    ).flat();
    assert.equal(runSync(compareVariants(forged)).length, 10);
    const strange = { ...line('a', 'x', 'pass'), variant: 'other' };
    assert.deepEqual(runSync(compareVariants([strange])), []);
  });
});
