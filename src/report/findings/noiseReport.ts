import type { NoiseRow } from '../../analysis/noise.ts';
import { scoreText } from '../../core/presentation/score.ts';
import { paragraphs } from '../../core/text/markdown.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { markdownList, markdownTable, plainTable } from '../tables.ts';
import { intervalText, noiseTexts } from './comparisonSentences.ts';

const MAX_NAME = 36;

const HEAD = [
  'Judge',
  'Assertion',
  'Conversations',
  'Flipped',
  '95 %',
  'Chance',
  'Samples disagreed',
];

const MEASURE_HINT =
  'To measure it, judge the conversations of the last run again: turnlight judge --no-cache';

export function noiseText(rows: readonly NoiseRow[]): string {
  const table = rows.length === 0 ? undefined : plainTable(HEAD, rows.map(noiseCells), false);
  return `${paragraphs(sentences(rows).join('\n'), table)}\n`;
}

export function noiseMarkdown(rows: readonly NoiseRow[]): string {
  const table = rows.length === 0 ? undefined : markdownTable(HEAD, rows.map(noiseCells));
  return `${paragraphs('# Judge noise', markdownList(sentences(rows)), table)}\n`;
}

function sentences(rows: readonly NoiseRow[]): string[] {
  const unknown = rows.some(({ disagreement }) => disagreement === null);
  return [...noiseTexts(rows), ...(unknown ? [MEASURE_HINT] : [])];
}

function noiseCells(row: NoiseRow): string[] {
  const { judge, assertion, conversations, flipped, share, disagreement, sampled, unstable } = row;
  return [
    visibleLine(judge, MAX_NAME),
    assertion ? visibleLine(assertion.name, MAX_NAME) : 'all',
    String(conversations),
    String(flipped),
    conversations === 0 ? '–' : intervalText(share).replace('95 % ', ''),
    disagreement === null ? '–' : scoreText(disagreement),
    sampled === 0 ? '–' : `${unstable} of ${sampled}`,
  ];
}
