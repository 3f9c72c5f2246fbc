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
  /** The stored answers. */
  readonly answers: readonly JudgeAnswer[];
}

export interface JudgeAnswer extends Pick<ModelReply, 'text' | 'refusal' | 'version' | 'finish'> {
  /** Of the original request. */
  readonly usage: Usage;
  /** Milliseconds of the original request; absent if it is from a recording. */
  readonly latency?: number;
}

export interface JudgeRequests {
  readonly verdict: Verdict;
  /** In their order: after the first, repairs of an answer, parts, or further questions. */
  readonly requests: readonly JudgeRequest[];
  /** Whether the first is exactly the original request; otherwise the file or its labels have changed. */
  readonly isSame: boolean;
  /** Where answers are looked up. */
  readonly from: 'cache' | 'recording';
}

type RequestHost = Pick<RunOptions, 'env' | 'secret'> & {
  readonly scrubber: Scrubber;
  /** See `answersFolder`. */
  readonly folder: string;
};

/**
 * The requests to a judge for a verdict, and its answers. A record contains neither: the requests are reconstructed from
 * the judged conversation and the current file, and their answers are looked up. No model is called.
 *
 * @param line of the case, with absolute paths
 * @param suiteCase the current one, opened
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
  const assertions = (mayShare(asked) ? assertionsOfRequest(suiteCase, asked) : [asked]).map(
    (one, index) => ({
      ...withJudge(one, judge.model),
      index,
    }),
  );
  const watched: TracingModel[] = [];
  const { folder, scrubber } = host;
  const workspaces = [suite.workspace];
  const answers = new AnswerCache({
    folder,
    fresh: false,
    workspaces,
    scrubber,
    warn: () => {},
  });
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
    signal: new AbortController().signal,
    sharedAnswers: {
      answers: new Map(),
      load: (key) => kept.load(key),
      save: async () => {},
    },
    modelFor: async (spec) => {
      if (!spec) return undefined;
      const model = new TracingModel(await cachedModel(spec, lookup, host));
      watched.push(model);
      return model;
    },
  });
  await answers.close();
  const own = again.find((one) => one.assertion.key === asked.key);
  const hash = own?.judge?.prompt_hash;
  const isOwn = ({ requests }: TracingModel) =>
    requests.some(({ request }) => digestOf(request.messages) === hash);
  const mine = watched.length > 1 && watched.some(isOwn) ? watched.filter(isOwn) : watched;
  return {
    verdict,
    requests: mine.flatMap(({ requests }) => requests),
    isSame: hash === judge.prompt_hash,
    from: asked.judge?.provider === 'replay' ? 'recording' : 'cache',
  };
}

/** The run may have used another judge than the file. */
function withJudge(assertion: Assertion, model: string): Assertion {
  if (assertion.judge?.id === model) return assertion;
  const parsed = parseModelSpec(model, '/');
  return 'spec' in parsed ? { ...assertion, judge: parsed.spec } : assertion;
}

/** Whether its question may have shared a request. */
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
    complete: () => Promise.reject(new ModelError('not-recorded', 'The answer is not kept.')),
  };
  return cachingModel(nobody, identity, lookup);
}

/** Collects the requests to a model and its answers. */
class TracingModel implements Model {
  readonly id: string;
  readonly requests: JudgeRequest[] = [];
  readonly #model: Model;

  constructor(model: Model) {
    this.#model = model;
    this.id = model.id;
  }

  async complete(request: ModelRequest, count: number, signal: AbortSignal) {
    const index = this.requests.length;
    this.requests.push({ request, samples: count, answers: [] });
    const replies = await this.#model.complete(request, count, signal);
    const answers = replies.map(({ text, refusal, version, finish, usage, past }): JudgeAnswer => {
      const words = { text, finish, ...(refusal !== undefined && { refusal }) };
      const of = version === undefined ? {} : { version };
      return {
        ...words,
        ...of,
        usage: past?.usage ?? usage,
        ...(past && { latency: past.latency }),
      };
    });
    this.requests[index] = { request, samples: count, answers };
    return replies;
  }
}
