import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runSync } from '../../../src/node/cooperative.ts';
import { krippendorffAlpha } from '../../../src/statistics/alpha.ts';
import { bootstrap } from '../../../src/statistics/bootstrap.ts';
import { confusionOf, ratesOf } from '../../../src/statistics/confusion.ts';
import { holm } from '../../../src/statistics/holm.ts';
import { cohenKappa } from '../../../src/statistics/kappa.ts';
import { mcnemar } from '../../../src/statistics/mcnemar.ts';
import { seededRandom } from '../../../src/statistics/random.ts';
import { wilcoxon } from '../../../src/statistics/wilcoxon.ts';
import { wilson } from '../../../src/statistics/wilson.ts';
import { askPython, type Question, skipReference } from '../../support/statistics/reference.ts';

const random = seededRandom(11);
const whole = (below: number) => Math.floor(random() * below);
const many = <One>(count: number, make: () => One): One[] => Array.from({ length: count }, make);

interface Compared {
  readonly question: Question;
  readonly found: number | readonly number[];
}

/** Of the same question: ours now, theirs all at once. */
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
