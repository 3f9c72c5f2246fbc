import { canonicalJson } from '../core/digest.ts';
import { unsetVariable } from '../core/environment.ts';
import type { ModelSpec, SuiteCase, TurnsOrigin } from '../core/suite.ts';
import { type Model, ModelError, type ModelHost } from '../models/model.ts';
import {
  openPlayer,
  openRecorder,
  type Player,
  type Recorder,
  recordingModel,
  replayingModel,
} from '../models/recording.ts';
import { findProvider } from '../models/registry.ts';
import { recordingSession, replayingSession } from '../targets/recording.ts';
import { findTargetType } from '../targets/registry.ts';
import { TargetError, type TargetHost, type TargetSession } from '../targets/target.ts';
import type { RunOptions } from './runOptions.ts';

/** All that a run says to the outside: its models and targets, recorded or replayed where asked. */
export class Exchanges {
  readonly #options: RunOptions;
  readonly #host: ModelHost;
  readonly #player: Player | undefined;
  readonly #recorder: Recorder | undefined;
  readonly #models = new Map<string, Promise<Model>>();

  private constructor(
    options: RunOptions,
    player: Player | undefined,
    recorder: Recorder | undefined,
  ) {
    this.#options = options;
    this.#player = player;
    this.#recorder = recorder;
    this.#host = { secret: options.secret, env: options.env, log: options.log };
  }

  /** @throws RecordingError */
  static async open(options: RunOptions): Promise<Exchanges> {
    const player = options.replay === undefined ? undefined : await openPlayer(options.replay);
    const recorder = options.record === undefined ? undefined : await openRecorder(options.record);
    return new Exchanges(options, player, recorder);
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
    const model = await provider.create(spec, this.#host);
    return this.#recorder ? recordingModel(model, this.#recorder) : model;
  }

  /** Opens a conversation with a case's target. @throws TargetError, ModelError */
  async session(
    { target }: TurnsOrigin,
    suiteCase: SuiteCase,
    repetition: number,
    log: TargetHost['log'],
  ): Promise<TargetSession> {
    const { id, context, tools } = suiteCase;
    const identity = { target: target.name, caseId: id, context, repetition };
    if (this.#player) return replayingSession(identity, this.#player);
    const type = findTargetType(target.type);
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
    const session = await type.open(target, host);
    return this.#recorder ? recordingSession(session, identity, this.#recorder) : session;
  }
}

function notSet(what: string, variable: string): string {
  return `${what} needs the environment variable ${variable}, which is not set.`;
}
