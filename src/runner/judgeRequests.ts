import { asksOneQuestion } from '../assertions/contract.ts';
import { PROTOCOL_VERSION } from '../assertions/questionHash.ts';
import { typeOf } from '../assertions/registry.ts';
import { SILENT } from '../core/logger.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { Scrubber } from '../core/scrubber.ts';
import type { Assertion, ModelSpec, Suite, SuiteCase } from '../core/suite.ts';
import type { Usage, Verdict } from '../core/verdict.ts';
import { recordedFacts } from '../judge/inputs.ts';
import { judgeAssertions } from '../judge/judgeAssertions.ts';
import { leavesOf } from '../judge/verdicts.ts';
import { AnswerLookup, cachingModel, modelIdentityOf } from '../models/cache.ts';
import { modelWithImages } from '../models/images.ts';
import { type Model, ModelError, type ModelReply, type ModelRequest } from '../models/model.ts';
import { createModel, parseModelSpec } from '../models/registry.ts';
import { digestOf } from '../node/hashes.ts';
import { AnswerCache } from '../store/answers.ts';
import { findDataFolder } from '../store/dataFolder.ts';
import { examplesOf, findAssertion } from '../store/examples.ts';
import { openPersistentAnswers } from '../store/persistentAnswers.ts';
import { reuseConversation } from './earlierRun.ts';
import type { RunOptions } from './runOptions.ts';

/** A reconstructed request to a judge. */
export interface JudgeRequest {
  readonly request: ModelRequest;
  /** Number of requested answers. */
  readonly samples: number;
  /** The answers that were stored. */
  readonly answers: readonly JudgeAnswer[];
}

export interface JudgeAnswer extends Pick<ModelReply, 'text' | 'refusal' | 'version' | 'finish'> {
  /** Usage of the original request. */
  readonly usage: Usage;
  /** Milliseconds that the original request took; absent if it came from a recording. */
  readonly latency?: number;
}

export interface JudgeRequests {
  readonly verdict: Verdict;
  /** All requests in order. The first may be followed by repairs of an answer, parts, or further questions. */
  readonly requests: readonly JudgeRequest[];
  /** Whether the first request is exactly the original one. If not, the file or its labels have changed. */
  readonly isSame: boolean;
  /** Where the answers were looked up. */
  readonly from: 'cache' | 'recording';
}

type RequestHost = Pick<RunOptions, 'env' | 'secret'> & {
  readonly scrubber: Scrubber;
  /** See `answersFolder`. */
  readonly folder: string;
};

/**
 * Reconstructs the requests to a judge from the judged conversation and the current file, and looks up their answers.
 * Calls no model.
 *
 * @param line the case's line, with absolute paths
 * @param suiteCase the current case, opened
 * @returns undefined if the file no longer has the assertion, or no judge was called
 */
export async function reconstructRequests(
  line: CaseLine,
  verdict: Verdict,
  suite: Suite,
  suiteCase: SuiteCase,
  host: RequestHost,
): Promise<JudgeRequests | undefined> {
  const { judge } = verdict;
  const found = findAssertion(suiteCase.assertions, verdict.assertion.key ?? '');
  if (!judge || !found) return undefined;
  const asked = withJudge(found, judge.model);
  const sharing = mayShare(asked) ? assertionsOfRequest(suiteCase, asked) : [asked];
  const assertions = sharing.map((one, index) => ({ ...withJudge(one, judge.model), index }));
  const traces: JudgeRequest[][] = [];
  const { folder, scrubber } = host;
  const workspaces = [suite.workspace];
  const answers = new AnswerCache({ folder, fresh: false, workspaces, scrubber, warn: () => {} });
  const lookup = new AnswerLookup(answers, line.repetition);
  const { root } = findDataFolder(suite);
  const kept = openPersistentAnswers({ folder, root, workspaces, scrubber });
  const { conversation, replyTurns, measured, reporting } = reuseConversation(line);
  const again = await judgeAssertions({
    conversation,
    replyTurns,
    assertions,
    facts: line.facts ? recordedFacts(line.id, line.facts) : suiteCase,
    examples: examplesOf(suite)(suiteCase),
    ...(measured && { targetUsage: measured }),
    ...(reporting && { reporting }),
    scrubber,
    signal: new AbortController().signal,
    sharedAnswers: { answers: new Map(), load: kept.load, save: async () => {} },
    modelFor: async (spec) => {
      if (!spec) return undefined;
      const requests: JudgeRequest[] = [];
      traces.push(requests);
      const cached = await cachedModel(spec, lookup, host);
      return tracingModel(modelWithImages(cached, spec, undefined), requests);
    },
  });
  await answers.close();
  const hash = again.find((one) => one.assertion.key === asked.key)?.judge?.prompt_hash;
  const own = traces.filter((requests) =>
    requests.some(({ request }) => digestOf(request.messages) === hash),
  );
  return {
    verdict,
    requests: (own.length > 0 ? own : traces).flat(),
    isSame: hash === judge.prompt_hash,
    from: asked.judge?.provider === 'replay' ? 'recording' : 'cache',
  };
}

/** The assertion with the run's judge, which may differ from the file's. */
function withJudge(assertion: Assertion, model: string): Assertion {
  if (assertion.judge?.id === model) return assertion;
  const parsed = parseModelSpec(model, '/');
  return 'spec' in parsed ? { ...assertion, judge: parsed.spec } : assertion;
}

/** Whether the assertion's question may have shared a request. */
function mayShare(assertion: Assertion): boolean {
  const { kind } = typeOf(assertion);
  return assertion.together === true || (kind === 'checklist' && !assertion.examples);
}

function assertionsOfRequest({ assertions }: SuiteCase, asked: Assertion): Assertion[] {
  const all = assertions.flatMap((one) => leavesOf(one));
  const others = all.filter((one) => asksOneQuestion(typeOf(one)) && mayShare(one));
  return others.some(({ key }) => key === asked.key) ? others : [asked];
}

/** A model that only returns stored answers. */
async function cachedModel(
  spec: ModelSpec,
  lookup: AnswerLookup,
  { env, secret, scrubber }: RequestHost,
): Promise<Model> {
  if (spec.provider === 'replay') return createModel(spec, { env, secret, scrubber, log: SILENT });
  const identity = {
    protocol: PROTOCOL_VERSION,
    ...(await modelIdentityOf(spec, { env, secret })),
  };
  const nobody: Model = {
    id: spec.id,
    complete: () =>
      Promise.reject(new ModelError('not-recorded', 'The answer is not in the cache.')),
  };
  return cachingModel(nobody, identity, lookup);
}

/** A model that adds each request, with its answers, to `requests`. */
function tracingModel(model: Model, requests: JudgeRequest[]): Model {
  return {
    id: model.id,
    async complete(request, count, signal) {
      const index = requests.length;
      requests.push({ request, samples: count, answers: [] });
      const replies = await model.complete(request, count, signal);
      const answers = replies.map(
        ({ text, refusal, version, finish, usage, past }): JudgeAnswer => ({
          text,
          finish,
          ...(refusal !== undefined && { refusal }),
          ...(version !== undefined && { version }),
          usage: past?.usage ?? usage,
          ...(past && { latency: past.latency }),
        }),
      );
      requests[index] = { request, samples: count, answers };
      return replies;
    },
  };
}
