import type { Assertion } from '../../src/core/suite.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import { judgeAssertions } from '../../src/judge/judgeAssertions.ts';
import { findAssertionType } from '../../src/metrics/registry.ts';
import type { Model } from '../../src/models/model.ts';
import { openaiProvider } from '../../src/models/openai.ts';
import { buildAssertion } from '../../test/support/judging.ts';
import type { BenchConversation } from './conversations.ts';
import { type CountingServer, type Counts, sumUp } from './countingServer.ts';
import { type ComparedType, comparedTypes } from './deepeval.ts';

export interface Measured {
  /** One assertion after the other over one conversation, by type. */
  readonly apart: ReadonlyMap<ComparedType, Counts>;
  /** All of them in one call, side by side as in a run. */
  readonly together: Counts;
  /** What went wrong: an answer of the bench that the judge refused, a case that lacks something. */
  readonly faults: readonly string[];
}

/** The types of the comparison that are there, in its order. */
export const presentTypes: readonly ComparedType[] = comparedTypes.filter(findAssertionType);

export const absentTypes: readonly ComparedType[] = comparedTypes.filter(
  (type) => !findAssertionType(type),
);

/** Judges a conversation through the real provider against the counting server. */
export async function measure(bench: BenchConversation, server: CountingServer): Promise<Measured> {
  const model = await modelAt(server.baseUrl);
  const apart = new Map<ComparedType, Counts>();
  const faults: string[] = [];

  server.restart(false);
  for (const [index, type] of presentTypes.entries()) {
    const verdicts = await judge(bench, [assertionOf(type, index)], model);
    apart.set(type, sumUp(server.drain()));
    faults.push(...faultsOf(bench, verdicts));
  }

  server.restart(true);
  await judge(bench, presentTypes.map(assertionOf), model);
  return { apart, together: sumUp(server.drain()), faults };
}

function judge(
  { conversation, facts }: BenchConversation,
  assertions: readonly Assertion[],
  model: Model,
): Promise<Verdict[]> {
  return judgeAssertions({
    conversation,
    facts,
    assertions,
    replyTurns: [],
    modelFor: async () => model,
    signal: new AbortController().signal,
  });
}

function assertionOf(type: ComparedType, index: number): Assertion {
  return buildAssertion(type, {}, { index });
}

function modelAt(baseUrl: string): Promise<Model> {
  const params = { provider: 'openai', model: 'judge', base_url: baseUrl };
  return openaiProvider.create(
    { id: 'openai:judge', provider: 'openai', params, folder: '/' },
    {
      secret: async () => 'local',
      env: () => undefined,
      log: { debug() {}, info() {}, warn() {}, error() {} },
    },
  );
}

const MAX_FAULT = 240;

/** A verdict that is an error, or that took a repair, would count requests that a judge does not cost. */
function faultsOf({ name }: BenchConversation, verdicts: readonly Verdict[]): string[] {
  return verdicts
    .filter(({ status, usage }) => status === 'error' || usage.calls > 1)
    .map(({ assertion, status, usage, rationale }) => {
      const what = status === 'error' ? rationale : `It took ${usage.calls} requests.`;
      return `${name}, ${assertion.type}: ${what}`.slice(0, MAX_FAULT);
    });
}
