import { textOf, turnsOf } from '../../src/core/conversation.ts';
import type { CaseLine } from '../../src/core/record/runRecord.ts';
import { PROMPTFOO } from '../promptfoo.ts';

const TOKENS = { prompt: 0, completion: 0, cached: 0, total: 0, numRequests: 1 };
const PROMPT = { id: 'p'.repeat(64), raw: '{{case}}', label: '{{case}}', provider: 'agent' };
const MADE = '2026-01-01T00:00:00';

export function evalId(name: string): string {
  return `eval-${name}-${MADE}`;
}

/** The same cases in the format in which promptfoo exports and imports evals. @param name letters and digits */
export function evalText(name: string, cases: readonly CaseLine[]): string {
  const results = cases.map(resultOf);
  const count = (reason: number) =>
    results.filter(({ failureReason }) => failureReason === reason).length;
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  const names = cases[0]?.verdicts.map(({ assertion }) => assertion.name) ?? [];
  const metrics = {
    score: sum(results.map(({ score }) => score)),
    ...{ testPassCount: count(0), testFailCount: count(1), testErrorCount: count(2) },
    ...{ assertPassCount: 0, assertFailCount: 0, cost: 0, tokenUsage: TOKENS },
    totalLatencyMs: sum(cases.map(({ duration }) => duration)),
    namedScores: Object.fromEntries(
      names.map((one) => [one, sum(results.map(({ namedScores }) => namedScores[one] ?? 0))]),
    ),
    namedScoresCount: Object.fromEntries(names.map((one) => [one, cases.length])),
  };
  return JSON.stringify({
    evalId: evalId(name),
    results: {
      ...{ version: 3, timestamp: `${MADE}.000Z`, prompts: [{ ...PROMPT, metrics }], results },
      stats: { successes: count(0), failures: count(1), errors: count(2), tokenUsage: TOKENS },
    },
    config: { description: name, prompts: [PROMPT.raw], providers: ['agent'], tests: [] },
    shareableUrl: null,
    metadata: { promptfooVersion: PROMPTFOO, exportedAt: `${MADE}.000Z` },
  });
}

function resultOf(line: CaseLine, testIdx: number) {
  const { id, status, usage, duration, tags, verdicts } = line;
  const score = line.score ?? 0;
  const graded = verdicts.map((one) => ({
    pass: one.status === 'pass',
    score: one.score ?? 0,
    reason: [one.rationale, ...one.turns.map(({ rationale }) => rationale)].join('\n'),
    assertion: { type: 'llm-rubric', value: one.assertion.name, metric: one.assertion.name },
  }));
  const namedScores: Record<string, number> = Object.fromEntries(
    graded.map((one) => [one.assertion.metric, one.score]),
  );
  const vars = { case: id };
  return {
    id: `00000000-0000-4000-8000-${String(testIdx).padStart(12, '0')}`,
    ...{ testIdx, promptIdx: 0, promptId: PROMPT.id, vars, score, namedScores },
    success: status === 'pass',
    failureReason: status === 'pass' ? 0 : status === 'fail' ? 1 : 2,
    prompt: { raw: id, label: PROMPT.label, config: {} },
    provider: { id: PROMPT.provider, label: '' },
    ...{ cost: usage.cost, latencyMs: duration, tokenUsage: TOKENS, metadata: {} },
    response: {
      output: turnsOf(line.conversation)
        .map((turn) => `${turn.side}: ${textOf(turn)}`)
        .join('\n'),
      ...{ cost: 0, cached: false, tokenUsage: TOKENS },
    },
    gradingResult: {
      ...{ pass: status === 'pass', score, reason: status, namedScores, tokensUsed: TOKENS },
      componentResults: graded,
    },
    testCase: {
      ...{ description: id, vars, metadata: { tags: tags.join(' ') }, options: {} },
      assert: graded.map(({ assertion }) => assertion),
    },
  };
}
