import { basename } from 'node:path';
import { canonicalJson } from '../core/digest.ts';
import { unsetVariable } from '../core/environment.ts';
import type { ModelSpec, SuiteCase, TargetSpec, TurnsOrigin } from '../core/suite.ts';
import type { Kept } from '../judge/inquirer.ts';
import { type Model, ModelError, type ModelHost } from '../models/model.ts';
import { openPlayer, type Player, replayingModel } from '../models/player.ts';
import { openRecorder, type Recorder, recordingModel } from '../models/recording.ts';
import { findProvider } from '../models/registry.ts';
import type { FoundHome } from '../store/home.ts';
import { type KeptAnswers, keptAnswers } from '../store/kept.ts';
import { targetDigest } from '../targets/digest.ts';
import { openModule } from '../targets/moduleProcess.ts';
import { recordingSession, replayingSession } from '../targets/recording.ts';
import { findTargetType } from '../targets/registry.ts';
import { TargetError, type TargetHost, type TargetSession } from '../targets/target.ts';
import { told } from '../targets/told.ts';
import { Budget, budgetedModel, priceForBudget } from './budget.ts';
import type { RunOptions } from './runOptions.ts';

/** All that a run says to the outside: its models and targets, recorded or replayed where asked. */
export class Exchanges {
  readonly #options: RunOptions;
  readonly #host: ModelHost;
  readonly #player: Player | undefined;
  readonly #recorder: Recorder | undefined;
  readonly #models = new Map<string, Promise<Model>>();
  readonly #digests = new Map<string, Promise<string>>();
  readonly #budget: Budget | undefined;
  readonly #homes: ReadonlyMap<string, FoundHome>;
  /** What judges were asked once, for the whole run. */
  readonly #answers: Kept['answers'] = new Map();
  /** The same of earlier runs, by the root where it is kept. */
  readonly #stores = new Map<string, KeptAnswers>();

  private constructor(
    options: RunOptions,
    homes: ReadonlyMap<string, FoundHome>,
    player: Player | undefined,
    recorder: Recorder | undefined,
  ) {
    this.#homes = homes;
    this.#options = options;
    this.#player = player;
    this.#recorder = recorder;
    this.#host = { secret: options.secret, env: options.env, log: options.log };
    this.#budget = options.maxCost === undefined ? undefined : new Budget(options.maxCost);
  }

  /** @param homes of the suites, by their paths @throws RecordingError */
  static async open(
    options: RunOptions,
    homes: ReadonlyMap<string, FoundHome>,
  ): Promise<Exchanges> {
    const { replay, log } = options;
    const player =
      replay === undefined ? undefined : await openPlayer(replay, (message) => log.warn(message));
    const recorder = options.record === undefined ? undefined : await openRecorder(options.record);
    return new Exchanges(options, homes, player, recorder);
  }

  /** What judges were asked once, and what was kept of it beside the records of a suite. */
  keptFor(suite: string): Kept {
    const store = this.#storeFor(suite);
    return {
      answers: this.#answers,
      load: async (key) => store?.load(key),
      save: async (key, answer) => store?.save(key, answer),
    };
  }

  #storeFor(suite: string): KeptAnswers | undefined {
    const home = this.#homes.get(suite);
    // A recording holds all that was asked, and answers as it was then.
    if (!home || this.#player || this.#recorder || !this.#options.keepRecord) return undefined;
    const store = this.#stores.get(home.root) ?? keptAnswers(home);
    this.#stores.set(home.root, store);
    return store;
  }

  /** True once the limit of the cost ended the run. */
  get stopped(): boolean {
    return this.#budget?.exhausted ?? false;
  }

  /** @throws RunRefusedError where the limit of the cost cannot be held with these models */
  checkPrices(specs: readonly ModelSpec[]): void {
    if (!this.#budget || this.#player) return;
    for (const spec of specs) priceForBudget(spec);
  }

  /** Calls a function of the user's in a process of its own. @throws TargetError */
  async script(path: string, exported: string, input: unknown, log: TargetHost['log']) {
    const { timeout, signal } = this.#options;
    const onOutput = (line: string) => log.info(`[${basename(path)}] ${line}`);
    const module = openModule({ file: path, exported, onOutput });
    try {
      return await module.call(input, {}, timeout, signal);
    } finally {
      module.close();
    }
  }

  async close(): Promise<void> {
    await this.#recorder?.close();
  }

  /** The model of a spec; made once for all cases. @throws ModelError */
  model(spec: ModelSpec): Promise<Model> {
    const key = canonicalJson(spec);
    const known = this.#models.get(key);
    if (known) return known;
    const made = this.#create(spec);
    this.#models.set(key, made);
    return made;
  }

  async #create(spec: ModelSpec): Promise<Model> {
    if (this.#player) return replayingModel(spec.id, this.#player);
    const unset = unsetVariable(spec.params);
    if (unset !== undefined) throw new ModelError('missing-variable', notSet(spec.id, unset));
    const provider = findProvider(spec.provider);
    if (!provider) throw new ModelError('not-found', `There is no provider "${spec.provider}".`);
    const plain = await provider.create(spec, this.#host);
    const model = this.#budget ? this.#limited(plain, spec, this.#budget) : plain;
    return this.#recorder ? recordingModel(model, this.#recorder) : model;
  }

  #limited(model: Model, spec: ModelSpec, budget: Budget): Model {
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
    { target }: TurnsOrigin,
    suiteCase: SuiteCase,
    repetition: number,
    log: TargetHost['log'],
  ): Promise<TargetSession> {
    const { id, context, tools } = suiteCase;
    const type = findTargetType(target.type);
    const identity = {
      target: target.name,
      caseId: id,
      context,
      repetition,
      digest: await this.digest(target, suiteCase),
      keysDecide: type?.keysDecide ?? false,
    };
    if (this.#player) return replayingSession(identity, this.#player);
    if (!type)
      throw new TargetError('target-not-found', `There is no target type "${target.type}".`);
    const unset = unsetVariable(target.params);
    if (unset !== undefined) throw new TargetError('target-not-found', notSet(target.name, unset));
    const { timeout, workspace, env } = this.#options;
    const host: TargetHost = {
      caseId: id,
      context,
      tools,
      timeout,
      workspace,
      env,
      log,
      ...(target.model && { model: await this.model(target.model) }),
    };
    const session = told(await type.open(target, host), target);
    return this.#recorder ? recordingSession(session, identity, this.#recorder) : session;
  }
}

function notSet(what: string, variable: string): string {
  return `${what} needs the environment variable ${variable}, which is not set.`;
}
