import type { NoiseRow } from '../../analysis/noise.ts';
import { scoreText } from '../../core/presentation/score.ts';
import { paragraphs } from '../../core/text/markdown.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { markdownList, markdownTable, plainTable } from '../tables.ts';
import { intervalText, noiseTexts } from './comparisonSentences.ts';

const NAME_LENGTH = 36;

const HEAD = [
  'Judge',
  'Assertion',
  'Conversations',
  'Flipped',
  '95 %',
  'Chance',
  'Samples disagreed',
];

const HOW_TO_KNOW =
  'To know, judge the conversations of the last run once more: turnlight judge --no-cache';

export function noiseText(rows: readonly NoiseRow[]): string {
  const table = rows.length === 0 ? undefined : plainTable(HEAD, rows.map(cells), false);
  return `${paragraphs(sentences(rows).join('\n'), table)}\n`;
}

export function noiseMarkdown(rows: readonly NoiseRow[]): string {
  const table = rows.length === 0 ? undefined : markdownTable(HEAD, rows.map(cells));
  return `${paragraphs('# Judge noise', markdownList(sentences(rows)), table)}\n`;
}

function sentences(rows: readonly NoiseRow[]): string[] {
  const unknown = rows.some(({ disagreement }) => disagreement === null);
  return [...noiseTexts(rows), ...(unknown ? [HOW_TO_KNOW] : [])];
}

function cells(row: NoiseRow): string[] {
  const { judge, assertion, conversations, flipped, share, disagreement, sampled, unstable } = row;
  return [
    visibleLine(judge, NAME_LENGTH),
    assertion ? visibleLine(assertion.name, NAME_LENGTH) : 'all',
    String(conversations),
    String(flipped),
    conversations === 0 ? '–' : intervalText(share).replace('95 % ', ''),
    disagreement === null ? '–' : scoreText(disagreement),
    sampled === 0 ? '–' : `${unstable} of ${sampled}`,
  ];
}
