import { Scrubber } from '../../src/core/scrubber.ts';
import type { Assertion } from '../../src/core/suite.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import { judgeAssertions } from '../../src/judge/judgeAssertions.ts';
import type { Model } from '../../src/models/model.ts';
import { createModel } from '../../src/models/registry.ts';
import { buildAssertion } from '../../test/support/judging.ts';
import type { BenchConversation } from './conversations.ts';
import { type CountedRequest, type CountingServer, type Counts, sumUp } from './countingServer.ts';
import { type ComparedType, comparedTypes } from './deepeval.ts';
import { BLOCK } from './promptCache.ts';

/** What judging one conversation costs. */
export interface Measured {
  /** Counts for each assertion judged by itself, by type. */
  readonly apart: ReadonlyMap<ComparedType, Counts>;
  /** Counts for all assertions in one call, as in a run. */
  readonly together: Counts;
  /** Counts for eight assertions in one call. */
  readonly eight: Counts;
  /** Like `eight`, but at Azure, where `answer_format: auto` can choose. */
  readonly eightAtAzure: Counts;
  /** Like `eight`, but in one request (`together: true`). */
  readonly eightTogether: Counts;
  /**
   * Maximum number of tokens in `eight` that blocks of 1,024 could serve: the full blocks of all requests except the
   * first.
   */
  readonly most: number;
  /** Answers that the judge rejected, and cases that lack something. */
  readonly faults: readonly string[];
}

const EIGHT = 8;

/** Types to use instead if a conversation has no retrieved context to ask about. */
const MORE_TYPES = ['task-completion', 'safety', 'coherence', 'intent-resolution'];

/** Judges a conversation through the real provider against the counting server. */
export async function measure(bench: BenchConversation, server: CountingServer): Promise<Measured> {
  const faults: string[] = [];
  const inOneCall = async (
    types: readonly string[],
    model: Model,
    keys: Partial<Assertion> = {},
  ): Promise<CountedRequest[]> => {
    faults.push(...faultsOf(bench, await judge(bench, types, model, keys)));
    return server.drain();
  };
  const model = await modelAt(server.baseUrl, 'openai');
  const azure = await modelAt(new URL(server.baseUrl).origin, 'azure-openai');

  server.restart(false);
  const apart = new Map<ComparedType, Counts>();
  for (const type of comparedTypes) apart.set(type, sumUp(await inOneCall([type], model)));

  server.restart(true);
  const together = await inOneCall(comparedTypes, model);

  const asking = comparedTypes.filter((type) => (apart.get(type)?.requests ?? 0) > 0);
  const types = [...asking, ...MORE_TYPES].slice(0, EIGHT);
  server.restart(true);
  const eight = await inOneCall(types, model);
  server.restart(true);
  const eightAtAzure = await inOneCall(types, azure);
  server.restart(true);
  const eightTogether = await inOneCall(types, model, { together: true });

  const most = eight
    .slice(1)
    .reduce((sum, { promptTokens }) => sum + Math.floor(promptTokens / BLOCK) * BLOCK, 0);
  return {
    apart,
    together: sumUp(together),
    eight: sumUp(eight),
    eightAtAzure: sumUp(eightAtAzure),
    eightTogether: sumUp(eightTogether),
    most,
    faults,
  };
}

function judge(
  { conversation, facts }: BenchConversation,
  types: readonly string[],
  model: Model,
  keys: Partial<Assertion>,
): Promise<Verdict[]> {
  return judgeAssertions({
    conversation,
    facts,
    assertions: types.map((type, index) => buildAssertion(type, {}, { index, ...keys })),
    replyTurns: [],
    modelFor: async () => model,
    signal: new AbortController().signal,
  });
}

function modelAt(base_url: string, provider: 'openai' | 'azure-openai'): Promise<Model> {
  const params = { provider, model: 'judge', base_url };
  return createModel(
    { id: 'openai:judge', provider, params, folder: '/' },
    {
      secret: async () => 'local',
      env: () => undefined,
      scrubber: new Scrubber(),
      log: { debug() {}, info() {}, warn() {}, error() {} },
    },
  );
}

const MAX_FAULT = 240;

/** Reports verdicts that are errors or needed a repair, since they would distort the number of requests. */
function faultsOf({ name }: BenchConversation, verdicts: readonly Verdict[]): string[] {
  return verdicts
    .filter(({ status, usage }) => status === 'error' || usage.calls > 1)
    .map(({ assertion, status, usage, rationale }) => {
      const what = status === 'error' ? rationale : `It took ${usage.calls} requests.`;
      return `${name}, ${assertion.type}: ${what}`.slice(0, MAX_FAULT);
    });
}
