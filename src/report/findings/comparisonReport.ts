import type { ComparedCase, Comparison } from '../../analysis/compareRuns.ts';
import { scoreText } from '../../core/presentation/score.ts';
import {
  caseTitle,
  OUTCOME_ICONS,
  OUTCOME_WORDS,
  OUTCOMES,
} from '../../core/presentation/words.ts';
import { escapeLine, paragraphs } from '../../core/text/markdown.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { streamJson } from '../streamJson.ts';
import { type Paint, shownPath } from '../style.ts';
import { markdownList, markdownTable, plainTable } from '../tables.ts';
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

/** Cases of each outcome to list; more are counted. */
const MAX_LISTED = { terminal: 30, markdown: 100 };

const MAX_NAME = 36;

const HEAD = ['Assertion', 'Cases', 'Before', 'After', 'Change', '95 %', 'Worse', 'Better', 'p'];

/** For a terminal: first what changed, then the numbers, then each changed case. */
export function comparisonText(comparison: Comparison, paint: Paint, folder: string): string {
  const bullets = (texts: readonly string[]) => texts.map((one) => `  ${one}`).join('\n');
  const cases = OUTCOMES.flatMap((outcome) => {
    const own = comparison.cases.filter((one) => one.outcome === outcome);
    if (own.length === 0) return [];
    const head = paint.bold(`${OUTCOME_ICONS[outcome]} ${own.length} ${OUTCOME_WORDS[outcome]}`);
    const shown = own.slice(0, MAX_LISTED.terminal).flatMap((one) => caseLines(one, paint, folder));
    return [[head, ...shown, ...moreLine(own, MAX_LISTED.terminal)].join('\n')];
  });
  return `${paragraphs(
    `Before: ${runText(comparison.base)}\nAfter:  ${runText(comparison.head)}`,
    `${paint.bold('What changed')}\n${bullets(changedTexts(comparison))}`,
    paint.bold(evidenceSentence(comparison)),
    comparison.evidence.length === 0
      ? undefined
      : `${plainTable(HEAD, rows(comparison), false)}\np is corrected for the number of assertions (Holm).`,
    `${paint.bold('Judge noise')}\n${bullets(noiseTexts(comparison.noise))}`,
    ...cases,
    countsText(comparison),
  )}\n`;
}

/** For a pull request. */
export function comparisonMarkdown(comparison: Comparison, folder: string): string {
  const cases = OUTCOMES.flatMap((outcome) => {
    const own = comparison.cases.filter((one) => one.outcome === outcome);
    if (own.length === 0) return [];
    const shown = own.slice(0, MAX_LISTED.markdown).map((one) => {
      const [first = '', ...more] = caseTexts(one, folder);
      const nested = more.map((text) => `\n  - ${escapeLine(text)}`);
      return `- ${escapeLine(first)}${nested.join('')}`;
    });
    return [
      `## ${OUTCOME_ICONS[outcome]} ${own.length} ${OUTCOME_WORDS[outcome]}`,
      [...shown, ...moreLine(own, MAX_LISTED.markdown)].join('\n'),
    ];
  });
  return `${paragraphs(
    `# ${escapeLine(evidenceSentence(comparison))}`,
    markdownList([`Before: ${runText(comparison.base)}`, `After: ${runText(comparison.head)}`]),
    `## What changed\n\n${markdownList(changedTexts(comparison))}`,
    comparison.evidence.length === 0
      ? undefined
      : `${markdownTable(HEAD, rows(comparison))}\n\np is corrected for the number of assertions (Holm).`,
    `## Judge noise\n\n${markdownList(noiseTexts(comparison.noise))}`,
    ...cases,
    escapeLine(countsText(comparison)),
  )}\n`;
}

/** Everything, with the sentence, as JSON. */
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
      intervalText(one.change).replace('95 % ', ''),
      String(one.worse),
      String(one.better),
      pValueText(one.adjusted),
    ];
  });
}

function caseLines(one: ComparedCase, paint: Paint, folder: string): string[] {
  const [first = '', ...more] = caseTexts(one, folder);
  const status = one.outcome === 'worse' ? 'fail' : one.outcome === 'better' ? 'pass' : 'skipped';
  return [`  ${paint.status(status, first)}`, ...more.map((text) => `      ${text}`)];
}

function caseTexts(one: ComparedCase, folder: string): string[] {
  const { base, head, assertions } = one;
  const place = `${shownPath(one.path, folder)}:${one.line}`;
  const sides = base && head ? `${sideText(base)} → ${sideText(head)}` : sideText(base ?? head);
  return [
    `${caseTitle(one)}: ${sides}  ${place}`,
    ...assertions.map((assertion) => {
      const { outcome, reason, path, line } = assertion;
      const why = reason === undefined || outcome === 'better' ? '' : `: ${reason}`;
      const at = `${shownPath(path, folder)}:${line}`;
      return `${OUTCOME_ICONS[outcome]} ${assertionText(assertion)}  ${at}${why}`;
    }),
  ];
}

function moreLine(own: readonly ComparedCase[], listed: number): string[] {
  return own.length > listed ? [`  and ${own.length - listed} more; --format json lists all`] : [];
}

/** `200 cases: 1 worse, 199 unchanged` */
function countsText({ counts }: Comparison): string {
  const there = OUTCOMES.filter((outcome) => counts[outcome] > 0);
  return `Cases: ${there.map((outcome) => `${counts[outcome]} ${outcome}`).join(', ') || 'none'}`;
}
