import { PROTOCOL_VERSION } from '../assertions/questionHash.ts';
import { memoize } from '../core/data/data.ts';
import { environmentNames } from '../core/environment.ts';
import { mapLog } from '../core/logger.ts';
import type { LiveOrigin, ModelSpec, Suite, SuiteCase, TargetSpec } from '../core/suite.ts';
import type { UserCode } from '../core/userCode.ts';
import type { Kept } from '../judge/kept.ts';
import { AnswerLookup, cachingModel, modelIdentityOf } from '../models/cache.ts';
import { checkDestination } from '../models/destination.ts';
import { Endpoints } from '../models/endpoint/endpoints.ts';
import { type Model, ModelError, type ModelHost } from '../models/model.ts';
import { openRecorder, type Recorder, recordingModel } from '../models/recording.ts';
import { createModel, defaultKeyVariables, keyVariablesOf, preload } from '../models/registry.ts';
import { openReplaySource, type ReplaySource, replayModel } from '../models/replaySource.ts';
import { canonicalJson } from '../node/hashes.ts';
import { Answers } from '../store/answers.ts';
import { examplesOf } from '../store/examples.ts';
import type { FoundHome } from '../store/home.ts';
import { type KeptAnswers, keptAnswers } from '../store/kept.ts';
import { targetDigest } from '../targets/digest.ts';
import { Programs } from '../targets/programs/programs.ts';
import { findTargetType } from '../targets/registry.ts';
import { TargetError, type TargetHost, type TargetSession, withReply } from '../targets/target.ts';
import {
  cachingSession,
  prependSystemPrompt,
  recordingSession,
  replaySession,
} from '../targets/wrappedSessions.ts';
import { Budget, budgetedModel, priceForBudget, type Spending } from './budget.ts';
import { callUserCode } from './case/callUserCode.ts';
import { modelsOf, targetsOf } from './modelsOf.ts';
import type { RunOptions } from './runOptions.ts';
import type { Unwritten } from './unwritten.ts';

/** All that a run says to the outside: its models and targets, recorded or replayed where asked. */
export class Exchanges {
  readonly #options: RunOptions;
  readonly #host: ModelHost;
  readonly #player: ReplaySource | undefined;
  readonly #recorder: Recorder | undefined;
  readonly #cache: Answers | undefined;
  readonly #models = new Map<string, Promise<Asked>>();
  readonly #digests = new Map<string, Promise<string>>();
  /** Those of models and of targets: who asks the same one waits in the same line. */
  readonly #endpoints: Endpoints;
  readonly #budget: Spending | undefined;
  readonly #programs: Programs;
  /** Names of the variables that programs do not inherit. */
  readonly #keyVariables: readonly string[];
  readonly #unwritten: Unwritten;
  readonly #homes: ReadonlyMap<string, FoundHome>;
  /** What judges were asked once, for the whole run. */
  readonly #answers: Kept['answers'] = new Map();
  /** The same of earlier runs, by the root where it is kept. */
  readonly #stores = new Map<string, KeptAnswers>();
  /** Labels are read once for all cases. */
  readonly examplesOf = memoize((suite: Suite) => examplesOf(suite));

  private constructor(
    options: RunOptions,
    homes: ReadonlyMap<string, FoundHome>,
    player: ReplaySource | undefined,
    recorder: Recorder | undefined,
    unwritten: Unwritten,
  ) {
    this.#unwritten = unwritten;
    this.#homes = homes;
    this.#options = options;
    this.#player = player;
    this.#recorder = recorder;
    this.#programs = new Programs(options.log, options.attach);
    this.#keyVariables = keyVariablesIn(options.suites);
    const { secret, env, allowedHosts, scrubber, log, editorModels, cache } = options;
    // What endpoints say of themselves is told as well.
    const told = mapLog(log, (text) => scrubber.text(text));
    this.#endpoints = new Endpoints(told, options);
    this.#host = {
      endpoints: this.#endpoints,
      secret,
      env,
      scrubber,
      log,
      editorModels,
      ...(allowedHosts && { allowedHosts }),
    };
    const workspaces = options.suites.map(({ workspace }) => workspace);
    if (cache && !player) {
      this.#cache = new Answers({ ...cache, workspaces, scrubber, warn: (text) => log.warn(text) });
    }
    const cases = options.suites.flatMap((suite) => suite.cases);
    for (const name of namedVariables(cases)) scrubber.add(name, env(name));
    const { maxCost, budget } = options;
    this.#budget = budget ?? (maxCost === undefined ? undefined : new Budget(maxCost));
  }

  /**
   * @param homes of the suites, by their paths
   * @throws RecordingError, UnwritableError
   */
  static async open(
    options: RunOptions,
    homes: ReadonlyMap<string, FoundHome>,
    unwritten: Unwritten,
  ): Promise<Exchanges> {
    const { replay, log } = options;
    const player =
      replay === undefined
        ? undefined
        : await openReplaySource(replay, (message) => log.warn(message));
    const recorder =
      options.record === undefined
        ? undefined
        : await openRecorder(options.record, options.scrubber, (error) => unwritten.note(error));
    return new Exchanges(options, homes, player, recorder, unwritten);
  }

  /** What judges were asked once, and what was kept of it beside the records of a suite. */
  keptFor(suite: string): Kept {
    const store = this.#storeFor(suite);
    return {
      answers: this.#answers,
      load: async (key) => store?.load(key),
      save: (key, answer) => this.#unwritten.tolerate(store?.save(key, answer)),
    };
  }

  #storeFor(suite: string): KeptAnswers | undefined {
    const home = this.#homes.get(suite);
    // A recording holds all that was asked, and answers as it was then.
    if (!home || this.#player || this.#recorder || !this.#options.keepRecord) return undefined;
    const store = this.#stores.get(home.root) ?? keptAnswers(home, this.#options.scrubber);
    this.#stores.set(home.root, store);
    return store;
  }

  /** True once the limit of the cost ended the run. */
  get stopped(): boolean {
    return this.#budget?.exhausted ?? false;
  }

  /** Loads what asking these models takes, while a run still waits for the disk. */
  loadAhead(specs: readonly ModelSpec[]): void {
    if (!this.#player && !this.#options.elsewhere) preload(specs);
  }

  /** @throws RunRefusedError where the limit of the cost cannot be held with these models */
  checkPrices(specs: readonly ModelSpec[]): void {
    if (!this.#budget || this.#player) return;
    for (const spec of specs) priceForBudget(spec);
  }

  /** What code of the user's makes of an input. @throws TargetError */
  async script({ workspace }: Suite, code: UserCode, input: unknown, log: TargetHost['log']) {
    const { signal, scrubber } = this.#options;
    const host = this.#hostOfPrograms(workspace, log);
    return scrubber.data(await callUserCode(code, input, host, signal));
  }

  #hostOfPrograms(workspace: string, log: TargetHost['log']) {
    const { timeout, env, programVariables } = this.#options;
    const keyVariables = this.#keyVariables;
    const programs = this.#programs;
    return { workspace, log, timeout, env, programVariables, keyVariables, programs };
  }

  async close(): Promise<void> {
    await this.#programs.close();
    await this.#recorder?.close();
    await this.#cache?.close();
  }

  /** What a repetition of a case finds of earlier runs; undefined where nothing is kept. */
  lookupFor(repetition: number): AnswerLookup | undefined {
    return this.#cache && new AnswerLookup(this.#cache, repetition);
  }

  /**
   * The model of a spec. What it takes is made once for all cases.
   *
   * @param lookup of who asks
   * @throws ModelError
   */
  async model(spec: ModelSpec, lookup: AnswerLookup | undefined): Promise<Model> {
    if (this.#player) return replayModel(spec.id, this.#player);
    const key = canonicalJson(spec);
    const made = this.#models.get(key) ?? this.#create(spec);
    this.#models.set(key, made);
    const { model, identity } = await made;
    // A recording costs nothing, and answers a question asked again in its own order.
    const cached =
      lookup && spec.provider !== 'replay' ? cachingModel(model, identity, lookup) : model;
    return this.#recorder ? recordingModel(cached, this.#recorder) : cached;
  }

  async #create(spec: ModelSpec): Promise<Asked> {
    const [unset] = environmentNames(spec.params);
    if (unset !== undefined) throw new ModelError('missing-variable', notSet(spec.id, unset));
    const plain = await createModel(spec, this.#host);
    const model = this.#budget ? this.#limited(plain, spec, this.#budget) : plain;
    const identity = { protocol: PROTOCOL_VERSION, ...(await modelIdentityOf(spec, this.#host)) };
    return { model, identity };
  }

  #limited(model: Model, spec: ModelSpec, budget: Spending): Model {
    const price = priceForBudget(spec);
    const { max_tokens } = spec.params;
    if (!price) return model;
    return budgetedModel(
      model,
      price,
      typeof max_tokens === 'number' ? max_tokens : undefined,
      budget,
    );
  }

  /** As `targetDigest`; the files of a target are read once for all cases. */
  digest(target: TargetSpec, { tools }: Pick<SuiteCase, 'tools'>): Promise<string> {
    const key = canonicalJson([target, tools]);
    const digest = this.#digests.get(key) ?? targetDigest(target, tools);
    this.#digests.set(key, digest);
    return digest;
  }

  /** Opens a conversation with a case's target. @throws TargetError, ModelError */
  async session(
    { workspace }: Suite,
    { target }: LiveOrigin,
    suiteCase: SuiteCase,
    { repetition, conversationId }: { repetition: number; conversationId: string },
    log: TargetHost['log'],
    lookup: AnswerLookup | undefined,
  ): Promise<TargetSession> {
    const { id, context, tools } = suiteCase;
    const { cache = target.type === 'chat' } = target.params;
    const type = findTargetType(target.type);
    const identity = {
      target: target.name,
      caseId: id,
      context,
      repetition,
      digest: await this.digest(target, suiteCase),
      keysDecide: type?.keysDecide ?? false,
    };
    if (this.#player) return replaySession(identity, this.#player);
    if (!type)
      throw new TargetError('target-not-found', `There is no target type "${target.type}".`);
    const [unset] = environmentNames(target.params);
    if (unset !== undefined) throw new TargetError('target-not-found', notSet(target.name, unset));
    const { scrubber, allowedHosts } = this.#options;
    const destination = type.destination?.(target);
    if (destination) checkDestination(destination, allowedHosts);
    const host: TargetHost = {
      ...this.#hostOfPrograms(workspace, log),
      caseId: id,
      conversationId,
      context,
      tools,
      scrubber,
      endpoints: this.#endpoints,
      ...(target.model && { model: await this.model(target.model, cache ? lookup : undefined) }),
    };
    const open = async () => {
      const opened = prependSystemPrompt(await type.open(target, host), target);
      return withReply(opened, async (messages, signal, hear) =>
        scrubber.data(await opened.reply(messages, signal, hear)),
      );
    };
    const session =
      cache && lookup && !target.model
        ? cachingSession(open, { ...identity, tools, url: destination?.url }, lookup)
        : await open();
    return this.#recorder ? recordingSession(session, identity, this.#recorder) : session;
  }
}

interface Asked {
  readonly model: Model;
  /** As of `modelIdentityOf`. */
  readonly identity: object;
}

/** Names of the variables that models and targets are given the values of. */
function namedVariables(cases: readonly SuiteCase[]): string[] {
  return environmentNames([...modelsOf(cases), ...targetsOf(cases)].map(({ written }) => written));
}

function keyVariablesIn(suites: readonly Suite[]): string[] {
  const named = suites.flatMap(({ keyVariables, cases }) => [
    ...keyVariables,
    ...modelsOf(cases).flatMap(({ params }) => keyVariablesOf(params)),
  ]);
  return [...new Set([...defaultKeyVariables, ...named])];
}

function notSet(what: string, variable: string): string {
  return `${what} needs the environment variable ${variable}. Set it first.`;
}
