import type {
  Tested,
  VariantComparison,
  VariantDifference,
  VariantFacts,
} from '../../analysis/compareVariants.ts';
import { scoreText } from '../../core/presentation/score.ts';
import { costText, counted, durationText } from '../../core/text/format.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import type { VariantTable } from '../../protocol/resultsProtocol.ts';
import { intervalText, pValueText, signedText, tooFewText } from './comparisonSentences.ts';
import type { Layout } from './layout.ts';

const MAX_NAME = 40;

/** Shown for a value that isn't known. */
const UNKNOWN = '–';

const LEGEND =
  'Change, interval, and p are for the pass rate, compared with the first variant. p is corrected for the number of tests (Holm).';

/** One row per variant. Columns without information, such as unknown costs, are left out. */
function tableOf({ variants, differences }: VariantComparison) {
  const tests = variants.map(({ name }) => differences.find((one) => one.name === name)?.passes);
  const column = (title: string, cellOf: (one: VariantFacts, index: number) => string) => ({
    title,
    cells: variants.map(cellOf),
  });
  const tested = (title: string, cellOf: (test: Tested) => string) =>
    column(title, (_, index) => known(tests[index], cellOf));
  const rates = column('Pass rate', ({ passRate }) => known(passRate, scoreText));
  const scores = column('Mean score', ({ score }) => known(score, scoreText));
  const columns = [
    column('Variant', ({ name }) => visibleLine(name, MAX_NAME)),
    column('Cases', ({ cases }) => String(cases)),
    ...(variants.some(({ errored }) => errored > 0)
      ? [column('Errors', ({ errored }) => String(errored))]
      : []),
    rates,
    ...(scores.cells.join() === rates.cells.join() ? [] : [scores]),
    tested('Change', ({ change }) => signedText(change.value)),
    tested('95% CI', ({ change }) => intervalText(change).replace('95% CI ', '')),
    tested('p', ({ adjusted }) => pValueText(adjusted)),
    column('Target cost', ({ cost }) => known(cost, costText)),
    column('Median reply', ({ latency }) => known(latency, durationText)),
  ].filter(({ cells }) => cells.some((cell) => cell !== UNKNOWN));
  return {
    head: columns.map(({ title }) => title),
    rows: variants.map((_, index) => columns.map(({ cells }) => cells[index] ?? '')),
  };
}

function known<Value>(value: Value | null | undefined, text: (value: Value) => string): string {
  return value === null || value === undefined ? UNKNOWN : text(value);
}

/**
 * One sentence for each variant except the first: which of the two is better, and whether that could be due to chance.
 */
export function variantSentences({ variants, differences }: VariantComparison): string[] {
  const [first] = variants;
  return first ? differences.map((one) => sentenceOf(first, one)) : [];
}

function sentenceOf(first: VariantFacts, { name, passes, scores }: VariantDifference): string {
  const [one, other] = [name, first.name].map((text) => `"${visibleLine(text, MAX_NAME)}"`);
  if (!passes) return `No case has results for both ${one} and ${other}.`;
  const { cases, worse, better, passRate, adjusted, needed, says } = passes;
  const isPlain = passes.test === 'mcnemar';
  const more = better - worse;
  const [before, after] = [scoreText(passRate.base), scoreText(passRate.head)];
  const rates =
    before === after
      ? `${one} and ${other} have the same pass rate over ${counted(cases, 'case')}: ${after}.`
      : `${one} has a pass rate of ${after} and ${other} of ${before}, over ${counted(cases, 'case')}.`;
  const both = Math.round(passRate.base * cases);
  const counts =
    more === 0
      ? `${one} and ${other} pass the same number of cases: ${both} of ${cases}.`
      : `${one} passes ${Math.abs(more)} ${more > 0 ? 'more' : 'fewer'} of ${counted(cases, 'case')} than ${other}.`;
  // If more cases pass, better scores are only to be expected.
  const scored = scores?.says !== says && (scores?.says === 'better' || scores?.says === 'worse');
  const texts = [isPlain ? counts : rates];
  if (says === 'better' || says === 'worse') {
    texts.push(`This is unlikely to be due to chance (${chanceText(adjusted)}).`);
  } else if (says === 'too-few' && !scored) texts.push(`${tooFewText(cases, needed)}.`);
  else if (isPlain ? more !== 0 : before !== after) {
    texts.push(
      `The difference could be due to chance${adjusted === null ? '' : ` (${chanceText(adjusted)})`}.`,
    );
  }
  if (scores && scored) {
    const { value } = scores.change;
    const way = value > 0 ? 'higher' : 'lower';
    texts.push(
      `The mean score of ${one} is ${scoreText(Math.abs(value))} ${way}, which is unlikely to be due to chance (${chanceText(scores.adjusted)}).`,
    );
  }
  return texts.join(' ');
}

/** `p = 0.012` */
function chanceText(p: number | null): string {
  return p === null || p >= 0.0001 ? `p = ${Number((p ?? 1).toPrecision(2))}` : 'p < 0.0001';
}

/** A table and its sentences for each set of variants; empty if a run has none. */
export function variantTexts(comparisons: readonly VariantComparison[], layout: Layout): string[] {
  return comparisons.map((one) => {
    const { head, rows } = tableOf(one);
    return layout.group(
      'Variants',
      layout.table(head, rows, LEGEND),
      layout.list(variantSentences(one)),
    );
  });
}

/** The comparison as shown in the results view and the HTML report. */
export function variantTable(comparison: VariantComparison): VariantTable {
  return { ...tableOf(comparison), legend: LEGEND, sentences: variantSentences(comparison) };
}

export function variantJson(comparison: VariantComparison) {
  return { sentences: variantSentences(comparison), ...comparison };
}
