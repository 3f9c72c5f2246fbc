import type { ComparedAssertion, ComparedCase, Comparison } from '../analysis/compareRuns.ts';
import type { ResultInRun } from '../analysis/evidence.ts';
import { repeatedSummaryOf } from '../core/presentation/verdictResult.ts';
import { type ComparedWords, OUTCOME_WORDS, STATUS_ICONS } from '../core/presentation/words.ts';
import type { CaseSummary } from '../core/record/runRecord.ts';
import { NO_USAGE } from '../core/verdict.ts';
import type { Work } from '../node/cooperative.ts';
import type { Findings, ResultsTable } from '../protocol/resultsProtocol.ts';
import {
  changedTexts,
  evidenceSentence,
  evidenceTexts,
  noiseTexts,
  runText,
  sideText,
  turnsText,
} from './findings/comparisonSentences.ts';
import { TableBuilder } from './resultsTable.ts';

/** A case in one run, without its outcome. */
export interface CaseFacts extends Pick<CaseSummary, 'target_variant'> {
  readonly tags: readonly string[];
  /** Cost of all repetitions. */
  readonly cost: number | null;
  /** Duration of all repetitions, in milliseconds. */
  readonly duration: number;
}

/** The table for two runs, one row per case. @param factsOf returns facts about a case in both runs */
export function* comparedTable(
  cases: readonly ComparedCase[],
  factsOf: (one: ComparedCase) => Readonly<Partial<Record<'base' | 'head', CaseFacts>>>,
): Work<ResultsTable> {
  const builder = new TableBuilder((suite) => suite);
  for (const one of cases) {
    yield;
    const { base, head } = factsOf(one);
    const facts = head ?? base;
    const side = one.head ?? one.base;
    if (!facts || !side) continue;
    builder.add({
      ...{ suite: one.suite, id: one.id, variant: one.variant, repetition: 1, repetitions: 1 },
      target_variant: facts.target_variant,
      ...{ tags: [...facts.tags], status: side.status, score: side.score },
      usage: { ...NO_USAGE, cost: facts.cost },
      duration: facts.duration,
      verdicts: one.assertions.flatMap(verdictOf),
      compared: comparedWordsOf(one),
      ...(base && head && { before: { cost: base.cost, duration: base.duration } }),
    });
  }
  return builder.table;
}

/** The differences between two runs, in the same words as on the command line. */
export function findingsOf(comparison: Comparison): Findings {
  const { base, head, evidence, noise } = comparison;
  return {
    runs: [`Before: ${runText(base)}`, `After: ${runText(head)}`],
    changed: changedTexts(comparison),
    sentence: evidenceSentence(comparison),
    evidence: evidenceTexts(evidence),
    noise: noiseTexts(noise),
  };
}

function verdictOf(one: ComparedAssertion) {
  const side = one.head ?? one.base;
  if (!side) return [];
  return [
    {
      assertion: { name: one.name, required: false },
      ...{ status: side.status, score: side.score, threshold: one.threshold },
      compared: comparedWordsOf(one, [one.threshold], turnsText(one.turns)),
    },
  ];
}

/** @param thresholds values that rounding must not move a score across */
export function comparedWordsOf(
  { outcome, base, head }: Pick<ComparedCase | ComparedAssertion, 'outcome' | 'base' | 'head'>,
  thresholds: readonly number[] = [],
  more: readonly string[] = [],
): ComparedWords {
  const each = [base, head].flatMap((side) => side ?? []);
  const shown = each.map((side) => sideSummary(side, thresholds));
  const spoken = each.map((side) => sideText(side, ...thresholds));
  const isOne = spoken.length < 2 || spoken[0] === spoken[1];
  const sides = isOne ? (spoken[0] ?? '') : `from ${spoken.join(' to ')}`;
  return {
    change: outcome,
    shown: isOne ? (shown[0] ?? '') : shown.join(' → '),
    spoken: [OUTCOME_WORDS[outcome], sides, ...more].join(', '),
  };
}

/** `✓ 1.00`, or `✗ 2/3 0.80 (0.40–1.00)` if it is repeated. */
function sideSummary(side: ResultInRun, thresholds: readonly number[]) {
  const { status, score, passed, decided, errored, range } = side;
  const isRepeated = decided + errored > 1;
  const glance = repeatedSummaryOf({ passed, finished: decided, range }, score, thresholds);
  return [STATUS_ICONS[status], ...(isRepeated ? glance : glance.slice(1))].join(' ');
}
