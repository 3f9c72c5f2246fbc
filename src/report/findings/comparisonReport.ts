import type { ComparedCase, Comparison } from '../../analysis/compareRuns.ts';
import type { VariantReport } from '../../analysis/variantData.ts';
import { scoreText } from '../../core/presentation/score.ts';
import {
  type ComparedOutcome,
  caseTitle,
  OUTCOME_ICONS,
  OUTCOME_WORDS,
  OUTCOMES,
} from '../../core/presentation/words.ts';
import { paragraphs } from '../../core/text/markdown.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { streamJson } from '../streamJson.ts';
import { shownPath } from '../style.ts';
import {
  assertionText,
  changedTexts,
  evidenceSentence,
  intervalText,
  noiseTexts,
  pValueText,
  runText,
  sideText,
  signedText,
} from './comparisonSentences.ts';
import type { Layout, OutlineItem } from './layout.ts';
import { variantJson, variantTexts } from './variantReport.ts';

/** Maximum number of cases to list per outcome. */
const MAX_LISTED = { terminal: 30, markdown: 100 };

const MAX_NAME = 36;

/** The differences, then the numbers, then each changed case. */
export function comparisonReport(comparison: Comparison, layout: Layout, folder: string): string {
  const { base, head, evidence, noise } = comparison;
  const sentence = evidenceSentence(comparison);
  return `${paragraphs(
    layout.title(sentence),
    layout.list([`Before: ${runText(base)}`, `After:  ${runText(head)}`]),
    layout.section('What changed', changedTexts(comparison)),
    layout.kind === 'terminal' ? layout.heading(sentence) : undefined,
    evidence.length === 0 ? undefined : evidenceTable(comparison, layout, ['Before', 'After']),
    layout.section('Judge noise', noiseTexts(noise)),
    ...OUTCOMES.flatMap((outcome) => casesOf(outcome, comparison, layout, folder)),
    layout.text(countsText(comparison)),
  )}\n`;
}

/** For each set of variants, says which is better, and then gives the details of each variant except the first. */
export function variantsReport(
  reports: readonly VariantReport[],
  layout: Layout,
  folder: string,
): string {
  const parts = reports.flatMap(({ summary, others }) => [
    ...variantTexts([summary], layout),
    ...others.flatMap(({ name, comparison }) => {
      const [{ name: first } = { name: '' }] = summary.variants;
      const [before, after] = [visibleLine(first, MAX_NAME), visibleLine(name, MAX_NAME)];
      const title = `${after} compared with ${before}`;
      return [
        layout.heading(title),
        ...(comparison.evidence.length === 0
          ? []
          : [evidenceTable(comparison, layout, [before, after])]),
        ...COMMON_OUTCOMES.flatMap((outcome) => casesOf(outcome, comparison, layout, folder)),
      ];
    }),
  ]);
  return `${paragraphs(...parts)}\n`;
}

/** Outcomes for cases that both variants ran. */
const COMMON_OUTCOMES: readonly ComparedOutcome[] = ['worse', 'better', 'undecided'];

export function* variantsJson(reports: readonly VariantReport[]): Generator<string> {
  const variants = reports.map(({ summary, others }) => ({
    ...variantJson(summary),
    differences: summary.differences.map((one) => {
      const { evidence, cases } = others.find(({ name }) => name === one.name)?.comparison ?? {};
      return { ...one, evidence, cases };
    }),
  }));
  yield* streamJson({ variants });
  yield '\n';
}

/** @param sides the names of the two sides */
function evidenceTable(
  comparison: Comparison,
  layout: Layout,
  sides: readonly [string, string],
): string {
  const head = ['Assertion', 'Cases', ...sides, 'Change', '95% CI', 'Worse', 'Better', 'p'];
  const legend = 'p is corrected for the number of assertions (Holm).';
  return layout.table(head, rows(comparison), legend);
}

function casesOf(
  outcome: ComparedOutcome,
  { cases }: Comparison,
  layout: Layout,
  folder: string,
): string[] {
  const own = cases.filter((one) => one.outcome === outcome);
  if (own.length === 0) return [];
  const heading = `${OUTCOME_ICONS[outcome]} ${own.length} ${OUTCOME_WORDS[outcome]}`;
  const most = MAX_LISTED[layout.kind];
  const shown = own.slice(0, most).map((one) => outlineOf(one, folder));
  const more = own.length - most;
  return [
    layout.outline(
      heading,
      shown,
      more > 0 ? `and ${more} more; --format json lists all` : undefined,
    ),
  ];
}

export function* comparisonJson(comparison: Comparison): Generator<string> {
  const { cases, ...rest } = comparison;
  function* each() {
    yield* cases;
  }
  yield* streamJson({ sentence: evidenceSentence(comparison), ...rest, cases: each() });
  yield '\n';
}

function rows({ evidence }: Comparison): string[][] {
  return evidence.map((one) => {
    const { base, head } = one.test === 'mcnemar' ? one.passRate : one.score;
    return [
      `${visibleLine(one.name, MAX_NAME)}${one.says === 'too-few' ? ' (too few cases)' : ''}`,
      String(one.cases),
      scoreText(base),
      scoreText(head),
      signedText(one.change.value),
      intervalText(one.change).replace('95% CI ', ''),
      String(one.worse),
      String(one.better),
      pValueText(one.adjusted),
    ];
  });
}

function outlineOf(one: ComparedCase, folder: string): OutlineItem {
  const { base, head, outcome, assertions } = one;
  const place = `${shownPath(one.path, folder)}:${one.line}`;
  const sides = base && head ? `${sideText(base)} → ${sideText(head)}` : sideText(base ?? head);
  return {
    text: `${caseTitle(one)}: ${sides}  ${place}`,
    details: assertions.map((assertion) => {
      const { reason, path, line } = assertion;
      const why = reason === undefined || assertion.outcome === 'better' ? '' : `: ${reason}`;
      const at = `${shownPath(path, folder)}:${line}`;
      return `${OUTCOME_ICONS[assertion.outcome]} ${assertionText(assertion)}  ${at}${why}`;
    }),
    status: outcome === 'worse' ? 'fail' : outcome === 'better' ? 'pass' : 'skipped',
  };
}

/** `200 cases: 1 worse, 199 unchanged` */
function countsText({ counts }: Comparison): string {
  const there = OUTCOMES.filter((outcome) => counts[outcome] > 0);
  return `Cases: ${there.map((outcome) => `${counts[outcome]} ${outcome}`).join(', ') || 'none'}`;
}
