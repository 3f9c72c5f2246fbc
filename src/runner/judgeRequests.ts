import { asksOneQuestion } from '../assertions/contract.ts';
import { PROTOCOL_VERSION } from '../assertions/questionHash.ts';
import { typeOf } from '../assertions/registry.ts';
import { SILENT } from '../core/logger.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { Scrubber } from '../core/scrubber.ts';
import type { Assertion, ModelSpec, Suite, SuiteCase } from '../core/suite.ts';
import type { Usage, Verdict } from '../core/verdict.ts';
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

/** One request to a judge, put together again. */
export interface JudgeRequest {
  readonly request: ModelRequest;
  /** How many answers were asked for. */
  readonly samples: number;
  /** What is kept of them; empty where nothing is. */
  readonly answers: readonly JudgeAnswer[];
}

export interface JudgeAnswer extends Pick<ModelReply, 'text' | 'refusal' | 'version' | 'finish'> {
  /** What it used when it was asked for. */
  readonly usage: Usage;
  /** Milliseconds that it took then; absent of a recording, which does not tell. */
  readonly latency?: number;
}

export interface JudgeRequests {
  readonly verdict: Verdict;
  /** In their order: those after the first repair an answer, or ask about parts or further questions. */
  readonly requests: readonly JudgeRequest[];
  /** Whether the first is the one that the verdict tells of, letter by letter; else the file or its labels have changed. */
  readonly isSame: boolean;
  /** Where answers would be kept. */
  readonly from: 'cache' | 'recording';
}

type RequestHost = Pick<RunOptions, 'env' | 'secret'> & {
  readonly scrubber: Scrubber;
  /** As of `answersFolder`. */
  readonly folder: string;
};

/**
 * What a judge was asked for a verdict and what it answered. A record keeps neither: the request is put together again
 * of the conversation that was judged and the file as it is now, and its answer is looked up. Nobody is asked.
 *
 * @param line its case, with absolute paths
 * @param suiteCase as it is now, opened
 * @returns undefined where the file has no such assertion any more, or no judge was asked
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
  const answers = new AnswerCache({
    folder: host.folder,
    fresh: false,
    workspaces: [suite.workspace],
    scrubber: host.scrubber,
    warn: () => {},
  });
  const lookup = new AnswerLookup(answers, line.repetition);
  const dataFolder = findDataFolder(suite);
  const kept = openPersistentAnswers(dataFolder, host.scrubber);
  const { conversation, replyTurns, measured, reporting } = reuseConversation(line);
  const again = await judgeAssertions({
    conversation,
    replyTurns,
    assertions,
    facts: recordedFacts(line, suiteCase),
    examples: examplesOf(suite)(suiteCase),
    ...(measured && { targetUsage: measured }),
    ...(reporting && { reporting }),
    signal: new AbortController().signal,
    sharedAnswers: {
      answers: new Map(),
      load: async (key) => kept?.load(key),
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

/** The run may have had another judge than the file. */
function withJudge(assertion: Assertion, model: string): Assertion {
  if (assertion.judge?.id === model) return assertion;
  const parsed = parseModelSpec(model, '/');
  return 'spec' in parsed ? { ...assertion, judge: parsed.spec } : assertion;
}

/** Whether its question may have stood in one request with others. */
function mayShare(assertion: Assertion): boolean {
  const { kind } = typeOf(assertion);
  return assertion.together === true || (kind === 'checklist' && !assertion.examples);
}

function assertionsOfRequest({ assertions }: SuiteCase, asked: Assertion): Assertion[] {
  const all = assertions.flatMap((one) => leavesOf(one));
  const others = all.filter((one) => asksOneQuestion(typeOf(one)) && mayShare(one));
  return others.some(({ key }) => key === asked.key) ? others : [asked];
}

function recordedFacts({ facts, id }: CaseLine, suiteCase: SuiteCase) {
  if (!facts) return suiteCase;
  const { role, ...rest } = facts;
  return { id, ...rest, ...(role !== undefined && { role }) };
}

/** The model, as far as its answers are kept. */
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

/** Notes what it is asked and what it answers. */
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
