import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runSync } from '../../../src/node/cooperative.ts';
import {
  cohenKappa,
  confusionOf,
  krippendorffAlpha,
  ratesOf,
} from '../../../src/statistics/agreement.ts';
import { bootstrap, seededRandom, wilson } from '../../../src/statistics/intervals.ts';
import {
  changeInterval,
  holm,
  mcnemar,
  minimumChanges,
  normalCdf,
  wilcoxon,
} from '../../../src/statistics/pairedTests.ts';
import { askPython, type Question, skipReference } from '../../support/statistics/reference.ts';

function near(found: number | undefined, expected: number, tolerance: number): void {
  assert.ok(
    found !== undefined && Math.abs(found - expected) <= tolerance,
    `expected ${expected}, found ${found}`,
  );
}

describe('statistics, as published', () => {
  // From Fagerland, Lydersen, and Laake 2013, BMC Medical Research Methodology 13:91, with data from Bentur et al.
  it("McNemar's exact test: 1 and 7 of 21 changed, p = 0.0703", () => {
    near(mcnemar(7, 1), 0.0703, 5e-5);
    near(mcnemar(1, 7), 0.0703, 5e-5);
    assert.equal(mcnemar(0, 0), 1);
    assert.equal(mcnemar(3, 3), 1);
  });

  // From Hollander and Wolfe 1973, 29 f.: the depression data in R's `wilcox.test`, V = 40, one-sided p = 0.01953.
  it("Wilcoxon's signed ranks: p of both sides = 0.03906", () => {
    const first = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
    const second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    near(wilcoxon(first.map((one, index) => one - (second[index] ?? 0))), 0.03906, 5e-6);
    assert.equal(wilcoxon([0, 0]), 1);
    assert.equal(wilcoxon([]), 1);
  });

  // Newcombe 1998, Statistics in Medicine 17, 857–872, table I, method 3.
  it("Wilson's interval: 81 of 263, 15 of 148, 0 of 20, 1 of 29", () => {
    const table = [
      [81, 263, 0.2553, 0.3662],
      [15, 148, 0.0624, 0.1605],
      [0, 20, 0, 0.1611],
      [1, 29, 0.0061, 0.1718],
    ] as const;
    for (const [hits, total, low, high] of table) {
      const found = wilson(hits, total);
      near(found.low, low, 5e-5);
      near(found.high, high, 5e-5);
    }
    assert.deepEqual(wilson(0, 0), { low: 0, high: 1 });
    assert.deepEqual(wilson(20, 20).high, 1);
  });

  // The example in R's documentation and in Wikipedia's "Holm–Bonferroni method".
  it('Holm: 0.01, 0.04, 0.03, 0.005', () => {
    const found = holm([0.01, 0.04, 0.03, 0.005]);
    for (const [index, expected] of [0.03, 0.06, 0.06, 0.02].entries()) {
      near(found[index], expected, 1e-12);
    }
    assert.deepEqual(holm([]), []);
    assert.deepEqual(holm([0.9, 0.8]), [1, 1]);
  });

  // Fleiss, Levin and Paik 2003, Statistical Methods for Rates and Proportions, table 18.1: 0.68, error 0.087.
  it("Cohen's kappa: two diagnosticians, 0.68 with an error of 0.087", () => {
    const found = cohenKappa([
      [75, 1, 4],
      [5, 4, 1],
      [0, 0, 10],
    ]);
    near(found?.kappa, 0.68, 0.005);
    near(((found?.high ?? 0) - (found?.low ?? 0)) / 2 / 1.959964, 0.087, 0.001);
    assert.equal(
      cohenKappa([
        [9, 0],
        [0, 0],
      ]),
      undefined,
    );
    assert.equal(cohenKappa([]), undefined);
  });

  // Krippendorff 2011, sections A and C.
  it("Krippendorff's alpha: two observers 0.095, four with missing values 0.743", () => {
    const pairs = ['01', '11', '01', '00', '00', '01', '00', '00', '10', '00'];
    near(krippendorffAlpha(pairs.map((one) => [...one])), 0.095, 5e-4);
    const observers = ['123321412***', '1233224125*3', '*3332342251*', '12332441251*'];
    const units = Array.from({ length: 12 }, (_, unit) =>
      observers.map((one) => one[unit] ?? '*').filter((one) => one !== '*'),
    );
    near(krippendorffAlpha(units), 0.743, 5e-4);
    assert.equal(krippendorffAlpha([['pass'], ['fail']]), undefined);
    assert.equal(krippendorffAlpha([['pass', 'pass']]), undefined);
  });

  // Efron and Tibshirani 1993, table 2.1: seven treated mice, mean 86.86, error of the mean 23.36 by bootstrap.
  it('bootstrap: as wide as the error of the mean of seven mice says', () => {
    const mice = [94, 197, 16, 38, 99, 141, 23];
    const { low, high } = runSync(bootstrap(mice, 7, 20_000));
    near((high - low) / 2 / 1.959964, 23.36, 0.5);
    assert.deepEqual(runSync(bootstrap(mice, 7)), runSync(bootstrap(mice, 7)));
    assert.notDeepEqual(runSync(bootstrap(mice, 7)), runSync(bootstrap(mice, 8)));
    assert.deepEqual(runSync(bootstrap([0.5, 0.5])), { low: 0.5, high: 0.5 });
  });

  // From Wikipedia, "Precision and recall": for 12 dogs and 10 cats, a program labels 8 animals as dogs, of which 5
  // are.
  it('precision 5/8 and recall 5/12 of the dogs', () => {
    const dogs = { failFail: 5, failPass: 3, passFail: 7, passPass: 7 };
    assert.deepEqual(ratesOf(dogs), { accuracy: 12 / 22, precision: 5 / 8, recall: 5 / 12 });
  });

  it('confusion: rates of fail, and none of nothing', () => {
    const counts = confusionOf([
      { judge: 'fail', people: 'fail' },
      { judge: 'fail', people: 'pass' },
      { judge: 'pass', people: 'fail' },
      { judge: 'fail', people: 'fail' },
    ]);
    assert.deepEqual(counts, { failFail: 2, failPass: 1, passFail: 1, passPass: 0 });
    assert.deepEqual(ratesOf(counts), { accuracy: 0.5, precision: 2 / 3, recall: 2 / 3 });
    const nothing = { accuracy: null, precision: null, recall: null };
    assert.deepEqual(ratesOf(confusionOf([])), nothing);
  });

  it('the normal distribution: 0.025 below −1.96, nothing beyond 8', () => {
    near(normalCdf(-1.959963984540054), 0.025, 1e-15);
    near(normalCdf(0), 0.5, 0);
    assert.deepEqual([normalCdf(-40), normalCdf(40)], [0, 1]);
  });

  it('six changes in one direction are the fewest that show at 0.05', () => {
    assert.equal(minimumChanges(0.05), 6);
    assert.ok(mcnemar(6, 0) <= 0.05 && mcnemar(5, 0) > 0.05);
    assert.ok(wilcoxon([1, 2, 3, 4, 5, 6]) <= 0.05 && wilcoxon([1, 2, 3, 4, 5]) > 0.05);
    for (const tests of [2, 5, 8]) {
      const fewest = minimumChanges(0.05 / tests);
      assert.ok(mcnemar(fewest, 0) <= 0.05 / tests && mcnemar(fewest - 1, 0) > 0.05 / tests);
    }
  });
});

describe('statistics, by simulation', () => {
  it('the interval of a change of a share covers the truth in 95 of 100 experiments', () => {
    const random = seededRandom(3);
    const covered = Array.from({ length: 2_000 }, () => {
      let [worse, better] = [0, 0];
      for (let pair = 0; pair < 60; pair += 1) {
        const drawn = random();
        if (drawn < 0.15) worse += 1;
        else if (drawn < 0.2) better += 1;
      }
      const { low, high } = changeInterval(worse, better, 60);
      return low <= -0.1 && high >= -0.1;
    }).filter(Boolean).length;
    near(covered / 2_000, 0.95, 0.02);
    const none = changeInterval(0, 0, 20);
    assert.ok(none.low < 0 && none.high > 0);
  });
});

const random = seededRandom(11);
const whole = (below: number) => Math.floor(random() * below);
const many = <One>(count: number, make: () => One): One[] => Array.from({ length: count }, make);

interface Compared {
  readonly question: Question;
  readonly found: number | readonly number[];
}

/** Compares our results with those of the Python libraries, which get all questions at once. */
function compare(compared: readonly Compared[], tolerance: number): void {
  const theirs = askPython(compared.map(({ question }) => question));
  for (const [index, { question, found }] of compared.entries()) {
    const [ours, expected] = [[found].flat(), [theirs[index]].flat() as number[]];
    assert.equal(ours.length, expected.length);
    for (const [place, one] of ours.entries()) {
      const other = expected[place] ?? Number.NaN;
      assert.ok(
        Math.abs(one - other) <= tolerance,
        `${JSON.stringify(question)}: ours ${ours}, theirs ${expected}`,
      );
    }
  }
}

describe('statistics, as the Python libraries have them', { skip: skipReference }, () => {
  it("McNemar's exact test (statsmodels)", () => {
    const pairs = [
      ...many(40, () => [whole(30), whole(30)] as const),
      [900, 1_000],
      [0, 0],
    ] as const;
    const compared = pairs.map(([worse, better]) => ({
      question: ['mcnemar', worse, better] as const,
      found: mcnemar(worse ?? 0, better ?? 0),
    }));
    compare(compared, 1e-9);
  });

  it("Wilcoxon's signed ranks, exact and by the normal distribution (scipy)", () => {
    const exact = many(20, () => many(6 + whole(40), () => random() - 0.4));
    const tied = many(20, () => many(51 + whole(200), () => (whole(9) - 4) / 4)).filter(
      (values) => values.filter((one) => one !== 0).length > 50,
    );
    compare(
      [
        ...exact.map((values) => ({
          question: ['wilcoxon', values, 'exact'] as const,
          found: wilcoxon(values),
        })),
        ...tied.map((values) => ({
          question: ['wilcoxon', values, 'approx'] as const,
          found: wilcoxon(values),
        })),
      ],
      1e-9,
    );
  });

  it("the bootstrap's percentiles (scipy), Wilson and Holm (statsmodels)", () => {
    const values = many(80, () => whole(5) / 4);
    const { low, high } = runSync(bootstrap(values, 1, 50_000));
    compare([{ question: ['bootstrap', values], found: [low, high] }], 0.004);
    const shares = many(30, () => 1 + whole(300)).map(
      (total) => [whole(total + 1), total] as const,
    );
    const lists = many(20, () => many(1 + whole(9), random));
    compare(
      [
        ...shares.map(([hits, total]) => {
          const { low, high } = wilson(hits, total);
          return { question: ['wilson', hits, total] as const, found: [low, high] };
        }),
        ...lists.map((ps) => ({ question: ['holm', ps] as const, found: holm(ps) })),
      ],
      1e-9,
    );
  });

  it('kappa with its interval (statsmodels), rates (scikit-learn), alpha (krippendorff)', () => {
    const tables = many(20, () => many(3, () => many(3, () => 1 + whole(20))));
    const word = () => (random() < 0.6 ? ('pass' as const) : ('fail' as const));
    const pairs = many(20, () => many(60, () => [word(), word()] as const));
    const ratings = many(20, () =>
      many(4, () => many(15, () => (random() < 0.2 ? null : whole(3)))),
    );
    compare(
      [
        ...tables.map((table) => {
          const { kappa = 0, low = 0, high = 0 } = cohenKappa(table) ?? {};
          return { question: ['kappa', table] as const, found: [kappa, low, high] };
        }),
        ...pairs.map((given) => {
          const counts = confusionOf(given.map(([judge, people]) => ({ judge, people })));
          const { accuracy, precision, recall } = ratesOf(counts);
          const { failFail, failPass, passFail, passPass } = counts;
          const table = [
            [failFail, failPass],
            [passFail, passPass],
          ];
          const found = [accuracy ?? 0, precision ?? 0, recall ?? 0, cohenKappa(table)?.kappa ?? 0];
          return { question: ['rates', given] as const, found };
        }),
        ...ratings.map((table) => {
          const units = Array.from({ length: 15 }, (_, unit) =>
            table.flatMap((row) => (row[unit] == null ? [] : [String(row[unit])])),
          );
          return { question: ['alpha', table] as const, found: krippendorffAlpha(units) ?? 0 };
        }),
      ],
      1e-9,
    );
  });
});
