import type { NoiseRow } from '../../analysis/noise.ts';
import { scoreText } from '../../core/presentation/score.ts';
import { paragraphs } from '../../core/text/markdown.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { intervalText, noiseTexts } from './comparisonSentences.ts';
import type { Layout } from './layout.ts';

const MAX_NAME = 36;

const HEAD = [
  ...['Judge', 'Assertion', 'Conversations', 'Flipped', '95% CI', 'Chance'],
  'Samples disagreed',
];

const MEASURE_HINT =
  'To measure it, judge the conversations of the last run again: turnlight judge --no-cache';

export function noiseReport(rows: readonly NoiseRow[], layout: Layout): string {
  const isUnknown = rows.some(({ disagreement }) => disagreement === null);
  return `${paragraphs(
    layout.title('Judge noise'),
    layout.list([...noiseTexts(rows), ...(isUnknown ? [MEASURE_HINT] : [])]),
    rows.length === 0 ? undefined : layout.table(HEAD, rows.map(noiseCells)),
  )}\n`;
}

function noiseCells(row: NoiseRow): string[] {
  const { judge, assertion, conversations, flipped, share, disagreement, sampled, unstable } = row;
  return [
    visibleLine(judge, MAX_NAME),
    assertion ? visibleLine(assertion.name, MAX_NAME) : 'all',
    String(conversations),
    String(flipped),
    conversations === 0 ? '–' : intervalText(share).replace('95% CI ', ''),
    disagreement === null ? '–' : scoreText(disagreement),
    sampled === 0 ? '–' : `${unstable} of ${sampled}`,
  ];
}
