import { type Conversation, type Turn, textOf, turnsOf } from '../core/conversation.ts';
import { groupBy } from '../core/data/data.ts';
import { caseName } from '../core/presentation/words.ts';
import type { CaseLine, VerdictSummary } from '../core/record/runRecord.ts';
import type { Verdict } from '../core/verdict.ts';
import type { ReportWriter, RunLog } from './reporter.ts';
import { streamJson } from './streamJson.ts';

/**
 * A test run as in DeepEval's `.deepeval/.latest_test_run.json`. As in that file, metrics that don't apply are omitted.
 */
export const writeDeepEval: ReportWriter = function* (log) {
  const { cases, duration, usage, run } = log;
  const verdicts = cases.flatMap((line) => line.verdicts.filter(isApplicable));
  yield* streamJson({
    identifier: run?.id ?? null,
    testCases: [],
    conversationalTestCases: testCases(log),
    metricsScores: [...groupBy(verdicts, metricName)].map(([metric, own]) => ({
      metric,
      scores: own.flatMap(({ score }) => (score === null ? [] : [score])),
      passes: own.filter(({ status }) => status === 'pass').length,
      fails: own.filter(({ status }) => status === 'fail').length,
      errors: own.filter(({ status }) => status === 'error').length,
    })),
    testPassed: cases.filter(({ status }) => status === 'pass').length,
    testFailed: cases.filter(({ status }) => status === 'fail' || status === 'error').length,
    runDuration: duration / 1000,
    evaluationCost: usage.cost,
  });
  yield '\n';
};

function* testCases(log: RunLog): Generator<object> {
  let order = 0;
  for (const line of log.lines()) {
    yield testCase(line, order);
    order += 1;
  }
}

function isApplicable({ status }: VerdictSummary): boolean {
  return status !== 'skipped';
}

function testCase(line: CaseLine, order: number): object {
  const { conversation, facts, usage } = line;
  const { outcome, ...expected } = facts?.expectations ?? {};
  return {
    name: caseName(line),
    order,
    success: line.status === 'pass',
    runDuration: line.duration / 1000,
    evaluationCost: usage.cost,
    ...(line.description !== undefined && { scenario: line.description }),
    ...(outcome !== undefined && { expectedOutcome: textOfValue(outcome) }),
    ...(facts?.role !== undefined && { chatbotRole: facts.role }),
    ...(line.tags.length > 0 && { tags: line.tags }),
    turns: turnsOf(conversation).map((turn, index) => ({ ...turnOf(turn), order: index })),
    metricsData: line.verdicts.filter(isApplicable).map(metricData),
    additionalMetadata: {
      suite: line.suite_name,
      status: line.status,
      repetition: line.repetition,
      ...(line.reason !== undefined && { reason: line.reason }),
      ...(Object.keys(expected).length > 0 && { expectations: expected }),
      ...systemOf(conversation),
    },
  };
}

function textOfValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The system text, which has no turn because DeepEval has only user and assistant turns. */
function systemOf({ entries }: Conversation): { readonly system?: readonly string[] } {
  const system = entries.flatMap((entry) => (entry.kind === 'system' ? [entry.text] : []));
  return system.length > 0 ? { system } : {};
}

function turnOf(turn: Turn): object {
  const calls = turn.items.flatMap((item) => (item.kind === 'tool-call' ? [item] : []));
  const { retrievalContext } = turn;
  return {
    role: turn.side,
    content: textOf(turn),
    ...(calls.length > 0 && {
      toolsCalled: calls.map(({ call, result }) => ({
        name: call.name,
        inputParameters: call.arguments,
        ...(result !== undefined && { output: result }),
      })),
    }),
    ...(retrievalContext && { retrievalContext }),
  };
}

function metricData(verdict: Verdict): object {
  const { threshold, score, status, rationale, judge, usage } = verdict;
  return {
    name: metricName(verdict),
    threshold,
    success: status === 'pass',
    score,
    reason: rationale,
    strictMode: false,
    error: status === 'error' ? `${verdict.reason}: ${rationale}` : null,
    ...(judge && { evaluationModel: judge.model }),
    ...(usage.cost !== null && { evaluationCost: usage.cost }),
  };
}

/** The assertion's own label, or else its type in DeepEval's style: `Turn Relevancy`. */
function metricName({ assertion: { name, type } }: VerdictSummary): string {
  if (name !== type) return name;
  return type.replace(
    /(^|-)([a-z])/g,
    (_all, dash: string, letter: string) => `${dash === '' ? '' : ' '}${letter.toUpperCase()}`,
  );
}
