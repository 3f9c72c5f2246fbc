import type { ComparedCase, Comparison } from '../../analysis/compareRuns.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { keyedVerdicts } from '../../core/verdict.ts';
import type {
  CaseComparison,
  RecordedCase,
  Snapshot,
  ViewState,
} from '../../protocol/viewProtocol.ts';
import { comparedWordsOf } from '../../report/comparedTable.ts';
import { assertionText, runText } from '../../report/findings/comparisonSentences.ts';
import { finishedSnapshot } from '../../report/finishedSnapshot.ts';

/** A case that appears in two runs, with one repetition of each. */
export interface Pair {
  readonly compared: ComparedCase;
  readonly base: CaseLine | undefined;
  readonly head: CaseLine | undefined;
  /** The larger of the two runs' numbers. */
  readonly repetitions: number;
}

/** A snapshot of a case in two runs. Shows the second run if it has the case, compared with the first. */
export function pairSnapshot(
  state: ViewState,
  { compared, base, head, repetitions }: Pair,
  runs: Pick<Comparison, 'base' | 'head'>,
  changed: CaseComparison['changed'],
): Snapshot | undefined {
  const line = head ?? base;
  if (!line) return undefined;
  const turns = (way: 'worse' | 'better') =>
    [...new Set(compared.assertions.flatMap((one) => one.turns[way]))].sort((a, b) => a - b);
  return {
    ...finishedSnapshot(line),
    state,
    suiteName: line.suite_name,
    description: line.description,
    repetitions,
    assertions: [],
    compared: {
      change: compared.outcome,
      spoken: comparedWordsOf(compared).spoken,
      before: runText(runs.base),
      after: runText(runs.head),
      base: base && head && recordedCase(base),
      assertions: compared.assertions.map((one) => ({
        change: one.outcome,
        text: assertionText(one),
        base: indexOfVerdict(one.key, base),
        head: indexOfVerdict(one.key, head),
      })),
      worse: turns('worse'),
      better: turns('better'),
      changed,
    },
  };
}

function recordedCase(line: CaseLine): RecordedCase {
  const { status, score, threshold, reason, conversation, verdicts } = finishedSnapshot(line);
  return { status, score, threshold, reason, conversation, verdicts };
}

function indexOfVerdict(key: string, line: CaseLine | undefined): number | undefined {
  const found = line && keyedVerdicts(line.verdicts).find(([own]) => own === key)?.[1];
  return found && line.verdicts.indexOf(found);
}
