import { findAssertionType } from '../../src/assertions/registry.ts';
import type { Assertion } from '../../src/core/suite.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import { judgeAssertions } from '../../src/judge/judgeAssertions.ts';
import type { Model } from '../../src/models/model.ts';
import type { AnswerFormat } from '../../src/models/openai/params.ts';
import { openaiProvider } from '../../src/models/openai/provider.ts';
import { buildAssertion } from '../../test/support/judging.ts';
import type { BenchConversation } from './conversations.ts';
import { type CountingServer, type Counts, sumUp } from './countingServer.ts';
import { type ComparedType, comparedTypes } from './deepeval.ts';
import { BLOCK } from './promptCache.ts';

export interface Measured {
  /** One assertion after the other over one conversation, by type. */
  readonly apart: ReadonlyMap<ComparedType, Counts>;
  /** All of them in one call, as in a run. */
  readonly together: Counts;
  /** Eight assertions; absent where fewer ask anything. */
  readonly eight?: Eight;
  /** What went wrong: an answer of the bench that the judge refused, a case that lacks something. */
  readonly faults: readonly string[];
}

/** Eight assertions that judge one conversation. */
export interface Eight {
  /** One after the other. */
  readonly oneByOne: Counts;
  /** In one call, as in a run. */
  readonly asInRun: Counts;
  /** In one call, where the model is told the schema at the end (`answer_format: json_object`). */
  readonly schemaLast: Counts;
  /** The tokens that blocks of 1,024 could serve of `asInRun` at best: full blocks of all but the first. */
  readonly most: number;
}

const EIGHT = 8;

/** Step in where a conversation has no retrieved context to ask about. */
const MORE_TYPES = ['task-completion', 'safety', 'coherence', 'intent-resolution'];

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
  const together = sumUp(server.drain());

  const asking = presentTypes.filter((type) => (apart.get(type)?.requests ?? 0) > 0);
  const types = [...asking, ...MORE_TYPES.filter(findAssertionType)].slice(0, EIGHT);
  if (types.length < EIGHT) return { apart, together, faults };
  return { apart, together, eight: await measureEight(bench, types, server, faults), faults };
}

async function measureEight(
  bench: BenchConversation,
  types: readonly string[],
  server: CountingServer,
  faults: string[],
): Promise<Eight> {
  const assertions = types.map(assertionOf);
  const count = async (format: AnswerFormat, calls: readonly (readonly Assertion[])[]) => {
    const model = await modelAt(server.baseUrl, format);
    server.restart(calls.length === 1);
    for (const call of calls) faults.push(...faultsOf(bench, await judge(bench, call, model)));
    return server.drain();
  };
  const oneByOne = await count(
    'json_schema',
    assertions.map((one) => [one]),
  );
  const asInRun = await count('json_schema', [assertions]);
  const schemaLast = await count('json_object', [assertions]);
  const most = asInRun
    .slice(1)
    .reduce((sum, { promptTokens }) => sum + Math.floor(promptTokens / BLOCK) * BLOCK, 0);
  return {
    oneByOne: sumUp(oneByOne),
    asInRun: sumUp(asInRun),
    schemaLast: sumUp(schemaLast),
    most,
  };
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

function assertionOf(type: string, index: number): Assertion {
  return buildAssertion(type, {}, { index });
}

function modelAt(baseUrl: string, format: AnswerFormat = 'json_schema'): Promise<Model> {
  const params = {
    provider: 'openai',
    model: 'judge',
    base_url: baseUrl,
    answer_format: format,
  };
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
