import { PROTOCOL_VERSION } from '../assertions/questionHash.ts';
import { memoize } from '../core/data/data.ts';
import { environmentNames } from '../core/environment.ts';
import { type Image, type ImageSources, imageFileName, imageText } from '../core/image.ts';
import { type Logger, mapLog } from '../core/logger.ts';
import {
  filledKeys,
  type LiveTurnsOrigin,
  type ModelSpec,
  type Suite,
  type SuiteCase,
  type TargetSpec,
} from '../core/suite.ts';
import type { UserCode } from '../core/userCode.ts';
import { UnwritableError } from '../disk/fileErrors.ts';
import type { SharedAnswers } from '../judge/inquirer.ts';
import type { JudgeOptions } from '../judge/judgeAssertions.ts';
import { AnswerLookup, cachingModel, modelIdentityOf } from '../models/cache.ts';
import { checkDestination } from '../models/destination.ts';
import { Endpoints } from '../models/endpoint/endpoints.ts';
import { modelWithImages } from '../models/images.ts';
import { type Model, ModelError, type ModelHost } from '../models/model.ts';
import { openRecorder, type Recorder, recordingModel } from '../models/recording.ts';
import { createModel, preload } from '../models/registry.ts';
import { openReplaySource, type ReplaySource, replayModel } from '../models/replaySource.ts';
import { canonicalJson, digestOf } from '../node/hashes.ts';
import { recordedPath } from '../node/paths.ts';
import { AnswerCache } from '../store/answers.ts';
import { type DataFolder, findDataFolders } from '../store/dataFolder.ts';
import { examplesOf } from '../store/examples.ts';
import { readImage } from '../store/images.ts';
import { openPersistentAnswers, type PersistentAnswers } from '../store/persistentAnswers.ts';
import { resolvedDigest, targetDigest } from '../targets/digest.ts';
import { traceWaitOf } from '../targets/keys.ts';
import { Programs } from '../targets/programs/programs.ts';
import { findTargetType, ownReporting } from '../targets/registry.ts';
import {
  scrubReply,
  TargetError,
  type TargetHost,
  type TargetSession,
  withReply,
  withScrubbedQuotes,
} from '../targets/target.ts';
import { tracedSession } from '../targets/tracedSession.ts';
import {
  cachingSession,
  prependSystemPrompt,
  recordingSession,
  replaySession,
  timedSession,
} from '../targets/wrappedSessions.ts';
import type { ConversationTrace } from '../traces/conversationTrace.ts';
import { Budget, budgetedModel, priceForBudget } from './budget.ts';
import { callUserCode } from './case/callUserCode.ts';
import { type ExecutionResult, openCase } from './case/caseLine.ts';
import { type CaseDescription, describeCase } from './case/describeCase.ts';
import type { ConversationTraces } from './conversationTraces.ts';
import type { CaseEvent } from './events.ts';
import { keyVariablesIn, modelsOf, targetsOf } from './models.ts';
import type { PlannedCase, RunOptions, SpendingLimit } from './runOptions.ts';

/** What a case's repetition needs from its run. */
export interface CaseContext {
  readonly suiteCase: SuiteCase;
  /** Why the case can't run. */
  readonly fault: ExecutionResult | undefined;
  readonly description: CaseDescription;
  readonly judging: JudgingContext & Pick<JudgeOptions, 'examples'>;
  readonly report: (event: CaseEvent) => void;
  /** Opens a conversation with the case's target. @throws TargetError, ModelError */
  readonly openSession: (origin: LiveTurnsOrigin, conversationId: string) => Promise<TargetSession>;
}

type JudgingContext = Pick<JudgeOptions, 'modelFor' | 'script' | 'signal'> &
  Required<Pick<JudgeOptions, 'sharedAnswers' | 'scrubber'>>;

/**
 * Everything that a run's cases share: models and targets, which may be recorded, replayed, or cached, and the cost
 * limit.
 */
export class RunContext {
  readonly options: RunOptions;
  /** Data folders by suite path. */
  readonly dataFolders: ReadonlyMap<string, DataFolder>;
  readonly writeErrors: WriteErrors;
  readonly #host: ModelHost;
  readonly #player: ReplaySource | undefined;
  readonly #recorder: Recorder | undefined;
  readonly #cache: AnswerCache | undefined;
  readonly #models = new Map<string, Promise<SpecModel>>();
  readonly #digests = new Map<string, Promise<string>>();
  /** All endpoints. All requests from models and targets to the same endpoint share a queue. */
  readonly #endpoints: Endpoints;
  readonly #budget: SpendingLimit | undefined;
  readonly #programs: Programs;
  /** Set once a target asks for traces. */
  #traces: ConversationTraces | undefined;
  /** Names of variables that programs must not inherit. */
  readonly #keyVariables: readonly string[];
  /** Answers that all cases share. */
  readonly #answers: SharedAnswers['answers'] = new Map();
  /** Answers from earlier runs, by the root of their data folder. */
  readonly #stores = new Map<string, PersistentAnswers>();
  #warned = false;
  /** Reads a suite's labels only once for all of its cases. */
  readonly #examplesOf = memoize((suite: Suite) => examplesOf(suite));

  private constructor(
    options: RunOptions,
    dataFolders: ReadonlyMap<string, DataFolder>,
    writeErrors: WriteErrors,
    player: ReplaySource | undefined,
    recorder: Recorder | undefined,
  ) {
    this.options = options;
    this.dataFolders = dataFolders;
    this.writeErrors = writeErrors;
    this.#player = player;
    this.#recorder = recorder;
    this.#programs = new Programs(options.log, options.scrubber, options.attach);
    this.#keyVariables = keyVariablesIn(options.suites);
    const { secret, env, allowedHosts, scrubber, log, editorModels, cache } = options;
    // Messages from endpoints can also contain secrets.
    const scrubbed = mapLog(log, (text) => scrubber.text(text));
    this.#endpoints = new Endpoints(scrubbed, options);
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
    const warn = (text: string) => log.warn(text);
    if (cache && !player) this.#cache = new AnswerCache({ ...cache, workspaces, scrubber, warn });
    const cases = options.suites.flatMap((suite) => suite.cases);
    const specs = [...modelsOf(cases), ...targetsOf(cases)];
    const named = environmentNames(specs.map(({ written }) => written));
    for (const name of named) scrubber.add(name, env(name));
    const { maxCost, budget } = options;
    this.#budget = budget ?? (maxCost === undefined ? undefined : new Budget(maxCost));
  }

  /** @param suites the suites that will run @throws RecordingError, UnwritableError */
  static async open(options: RunOptions, suites = options.suites): Promise<RunContext> {
    const { replay, record, scrubber, log } = options;
    const writeErrors = new WriteErrors(log);
    const player =
      replay === undefined ? undefined : await openReplaySource(replay, (text) => log.warn(text));
    const recorder =
      record === undefined
        ? undefined
        : await openRecorder(record, scrubber, (error) => writeErrors.note(error));
    return new RunContext(options, findDataFolders(suites), writeErrors, player, recorder);
  }

  /** Loads the code for these models. @throws RunRefusedError if the cost limit can't be enforced with these models */
  prepare(specs: readonly ModelSpec[]): void {
    if (this.#player) return;
    if (this.#budget) for (const spec of specs) priceForBudget(spec);
    if (!this.options.elsewhere) preload(specs);
  }

  /** Opens a case and reports that it started. */
  async begin({ suite, case: given, ref }: PlannedCase): Promise<CaseContext> {
    const { log, scrubber, onEvent } = this.options;
    const { suiteCase, fault } = await openCase(given);
    const report = (event: CaseEvent) => onEvent({ ...event, ref });
    report({ kind: 'case-started', case: suiteCase });
    const info = (text: string) => report({ kind: 'output', text: scrubber.text(text) });
    const output = { ...log, info };
    const lookup = this.#lookupFor(ref.repetition);
    return {
      suiteCase,
      fault,
      description: await this.describe(suiteCase),
      judging: {
        ...this.#judging(suite, lookup, output, suiteCase.images),
        examples: this.#examplesOf(suite)(suiteCase),
      },
      report,
      openSession: (origin, conversationId) =>
        this.#openSession(
          suite,
          origin,
          suiteCase,
          { repetition: ref.repetition, conversationId },
          output,
          lookup,
        ),
    };
  }

  describe(suiteCase: SuiteCase): Promise<CaseDescription> {
    return describeCase(suiteCase, (target) => this.#digestOf(target, suiteCase));
  }

  /** The context for judging outside of a case. */
  judging(suite: Suite): JudgingContext {
    return this.#judging(suite, this.#lookupFor(1), this.options.log);
  }

  /** @param log receives the programs' output @param images the case's images */
  #judging(
    suite: Suite,
    lookup: AnswerLookup | undefined,
    log: Logger,
    images?: ImageSources,
  ): JudgingContext {
    return {
      signal: this.options.signal,
      scrubber: this.options.scrubber,
      sharedAnswers: this.#sharedAnswersFor(suite.path),
      script: (code, input) => this.#script(suite, code, input, log),
      modelFor: async (spec) => (spec ? this.#model(spec, lookup, suite, images) : undefined),
    };
  }

  /** Answers that all cases share, and the store for later runs. */
  #sharedAnswersFor(suite: string): SharedAnswers {
    const store = this.#storeFor(suite);
    return {
      answers: this.#answers,
      load: async (key) => store?.load(key),
      save: (key, answer) => this.writeErrors.tolerate(store?.save(key, answer)),
    };
  }

  #storeFor(suite: string): PersistentAnswers | undefined {
    const dataFolder = this.dataFolders.get(suite);
    const { answersFolder: folder, keepRecord, scrubber, suites } = this.options;
    // A recording contains every answer.
    if (!dataFolder || !folder || this.#player || this.#recorder || !keepRecord) return undefined;
    const { root } = dataFolder;
    const workspaces = suites.map(({ workspace }) => workspace);
    const warn = (text: string) => this.#warnOfFolder(text);
    const store =
      this.#stores.get(root) ?? openPersistentAnswers({ folder, root, workspaces, scrubber, warn });
    this.#stores.set(root, store);
    return store;
  }

  /** Warns only once, because the cache reports the same folder. */
  #warnOfFolder(text: string): void {
    if (!this.#cache && !this.#warned) this.options.log.warn(text);
    this.#warned = true;
  }

  get stopped(): boolean {
    return this.#budget?.exhausted ?? false;
  }

  /** Runs user code. @throws TargetError */
  async #script({ workspace }: Suite, code: UserCode, input: unknown, log: TargetHost['log']) {
    const { signal, scrubber } = this.options;
    const host = this.#hostOfPrograms(workspace, log);
    // A scrubbed conversation can't be compared with secrets.
    const called = callUserCode(code, scrubber.data(input), host, signal);
    return scrubber.data(await withScrubbedQuotes(called, scrubber));
  }

  #hostOfPrograms(workspace: string, log: TargetHost['log']) {
    const { timeout, env, programVariables } = this.options;
    const keyVariables = this.#keyVariables;
    const programs = this.#programs;
    return { workspace, log, timeout, env, programVariables, keyVariables, programs };
  }

  /** @returns undefined if the target exports no spans @throws TargetError */
  async #traceFor(target: TargetSpec, workspace: string): Promise<ConversationTrace | undefined> {
    const wait = traceWaitOf(target.params);
    if (wait === undefined) return undefined;
    const { ConversationTraces } = await import('./conversationTraces.ts');
    this.#traces ??= new ConversationTraces(this.options);
    return this.#traces.open(target, workspace, wait);
  }

  async close(): Promise<void> {
    await this.#programs.close();
    this.#traces?.close();
    await this.#recorder?.close();
    await this.#cache?.close();
  }

  /** Looks up answers from earlier runs for a repetition of a case. */
  #lookupFor(repetition: number): AnswerLookup | undefined {
    return this.#cache && new AnswerLookup(this.#cache, repetition);
  }

  /** The model for a spec, created only once for all cases. @throws ModelError */
  async #model(
    spec: ModelSpec,
    lookup: AnswerLookup | undefined,
    { path }: Suite,
    images: ImageSources | undefined,
  ): Promise<Model> {
    const model = await this.#modelOf(spec, lookup);
    const root = this.dataFolders.get(path)?.root;
    return modelWithImages(model, spec, async (image) => {
      const bytes = await readImage(image, images, root);
      if (bytes) return bytes;
      throw new ModelError('missing-image', missingImage(image));
    });
  }

  async #modelOf(spec: ModelSpec, lookup: AnswerLookup | undefined): Promise<Model> {
    if (this.#player) return replayModel(spec.id, this.#player);
    const key = canonicalJson(spec);
    const made = this.#models.get(key) ?? this.#create(spec);
    this.#models.set(key, made);
    const { model, identity } = await made;
    // A recording costs nothing, and answers in its own order.
    const cached =
      lookup && spec.provider !== 'replay' ? cachingModel(model, identity, lookup) : model;
    return this.#recorder ? recordingModel(cached, this.#recorder) : cached;
  }

  async #create(spec: ModelSpec): Promise<SpecModel> {
    const [unset] = environmentNames(spec.params);
    if (unset !== undefined) throw new ModelError('missing-variable', notSet(spec.id, unset));
    const plain = await createModel(spec, this.#host);
    const model = this.#budget ? budgetedModel(plain, spec, this.#budget) : plain;
    const identity = { protocol: PROTOCOL_VERSION, ...(await modelIdentityOf(spec, this.#host)) };
    return { model, identity };
  }

  /** Reads a target's files only once for all cases. */
  #digestOf(target: TargetSpec, { tools }: Pick<SuiteCase, 'tools'>): Promise<string> {
    const key = canonicalJson([target, tools]);
    const digest = this.#digests.get(key) ?? targetDigest(target, tools);
    this.#digests.set(key, digest);
    return digest;
  }

  /** Opens a conversation with a case's target. @throws TargetError, ModelError */
  async #openSession(
    suite: Suite,
    { target }: LiveTurnsOrigin,
    suiteCase: SuiteCase,
    { repetition, conversationId }: { repetition: number; conversationId: string },
    log: TargetHost['log'],
    lookup: AnswerLookup | undefined,
  ): Promise<TargetSession> {
    const { workspace } = suite;
    const { id, context, tools, images } = suiteCase;
    const { cache = target.type === 'chat' } = target.params;
    const type = findTargetType(target.type);
    const identity = {
      target: target.name,
      case: id,
      context: { ...context },
      repetition,
      digest: await this.#digestOf(target, suiteCase),
      keysDecide: type?.keysDecide ?? false,
    };
    const dataFolder = this.dataFolders.get(suite.path);
    const filledIn = resolvedDigest(target);
    const recorded = {
      ...identity,
      ...(filledIn !== undefined && { digest: digestOf([identity.digest, filledIn]) }),
      ...(dataFolder && { suite: recordedPath(dataFolder, suite.path) }),
    };
    if (this.#player) return replaySession(recorded, this.#player);
    if (!type)
      throw new TargetError('target-not-found', `There is no target type "${target.type}".`);
    const [unset] = environmentNames(target.params);
    if (unset !== undefined) throw new TargetError('target-not-found', notSet(target.name, unset));
    const { scrubber, allowedHosts } = this.options;
    const destinations = type.destinations?.(target) ?? [];
    for (const one of destinations) checkDestination(one, allowedHosts);
    const plainHost: TargetHost = {
      ...this.#hostOfPrograms(workspace, log),
      caseId: id,
      conversationId,
      repetition,
      context,
      tools,
      scrubber,
      endpoints: this.#endpoints,
      ...(target.model && {
        model: await this.#model(target.model, cache ? lookup : undefined, suite, images),
      }),
    };
    const open = async () => {
      const trace = await this.#traceFor(target, workspace);
      const host = { ...plainHost, ...(trace && { trace }) };
      const opening = withScrubbedQuotes(type.open(target, host), scrubber);
      opening.catch(() => trace?.close());
      const untraced = timedSession(prependSystemPrompt(await opening, target));
      const reports = ownReporting(target)?.reports ?? [];
      const opened = trace
        ? tracedSession(untraced, trace, !reports.includes('tool_calls'))
        : untraced;
      const session = withReply(opened, async (messages, signal, hear) => {
        const replying = opened.reply(messages, signal, hear);
        return scrubReply(await withScrubbedQuotes(replying, scrubber), scrubber);
      });
      const close = (signal: AbortSignal) => withScrubbedQuotes(opened.close(signal), scrubber);
      return { ...session, close };
    };
    const session =
      cache && lookup && !target.model
        ? cachingSession(
            open,
            { ...identity, keys: filledKeys(target), tools, url: destinations[0]?.url },
            lookup,
          )
        : await open();
    return this.#recorder ? recordingSession(session, recorded, this.#recorder) : session;
  }
}

interface SpecModel {
  readonly model: Model;
  /** See `modelIdentityOf`. */
  readonly identity: object;
}

function missingImage(image: Image): string {
  return `The image ${imageText(image.alt)} is missing or has changed, and .turnlight/images has no ${imageFileName(image)}. Run the case again.`;
}

function notSet(what: string, variable: string): string {
  return `${what} needs the environment variable ${variable}. Set it first.`;
}

/** Collects files that a run couldn't write. The run continues without them, and its cases don't fail. */
class WriteErrors {
  readonly #log: Logger;
  readonly #errors = new Map<string, UnwritableError>();

  constructor(log: Logger) {
    this.#log = log;
  }

  get errors(): UnwritableError[] {
    return [...this.#errors.values()];
  }

  /** Reports each error once. */
  note(error: UnwritableError): void {
    if (this.#errors.has(error.message)) return;
    this.#errors.set(error.message, error);
    this.#log.error(`${error.message} The run continues without it.`);
  }

  async tolerate(writing: Promise<void> | undefined): Promise<void> {
    try {
      await writing;
    } catch (error) {
      if (!(error instanceof UnwritableError)) throw error;
      this.note(error);
    }
  }
}
