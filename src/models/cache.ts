import * as z from 'zod';
import type { KeyHost } from '../core/environment.ts';
import { filledKeys, type ModelSpec } from '../core/suite.ts';
import { fromCache, type Usage } from '../core/verdict.ts';
import { digestOf } from '../node/hashes.ts';
import { embeddedSchema, modelReplySchema } from './exchange.ts';
import type { Model, ModelReply, ModelRequest } from './model.ts';
import { findProvider } from './registry.ts';

/** Stores answers for later runs. Keys have 64 hexadecimal digits. Never throws. */
interface AnswerStore {
  /** Undefined if there is no usable answer. */
  load(key: string): Promise<unknown>;
  save(key: string, answer: unknown): void;
  delete(key: string): void;
}

/**
 * Looks up answers from earlier runs for one repetition of a case. If a question is asked again, in the same repetition
 * or another one, it gets a different answer.
 */
export class AnswerLookup {
  readonly store: AnswerStore;
  readonly #repetition: number;
  readonly #requestCounts = new Map<string, number>();

  /** @param repetition from 1 */
  constructor(store: AnswerStore, repetition: number) {
    this.store = store;
    this.#repetition = repetition;
  }

  /** Keys for `count` answers to a question. Each call returns different keys. */
  keysOf(question: object, count = 1): string[] {
    const digest = digestOf(question);
    const first = this.#requestCounts.get(digest) ?? 0;
    this.#requestCounts.set(digest, first + count);
    return Array.from({ length: count }, (_, index) =>
      digestOf({ question: digest, repetition: this.#repetition, sample: first + index }),
    );
  }

  /** Undefined if the answer doesn't match the schema. */
  async load<Schema extends z.ZodType>(
    key: string,
    schema: Schema,
  ): Promise<z.infer<Schema> | undefined> {
    const found = await this.store.load(key);
    return found === undefined ? undefined : schema.safeParse(found).data;
  }
}

/** Keys that can't change an answer: access, time limits, and prices. */
const IRRELEVANT_KEYS = [
  'base_url',
  'api_key_env',
  'token_env',
  'timeout',
  'price',
  'max_input_tokens',
  'together',
] as const;

/**
 * Distinguishes the answers of different models by provider, address, and keys. Two accounts at one address count as
 * the same model.
 */
export async function modelIdentityOf(spec: ModelSpec, host: KeyHost): Promise<object> {
  const { provider } = spec;
  const connection = await findProvider(provider)?.connect(spec, host);
  const keys = Object.entries(filledKeys(spec)).filter(
    ([key]) => !IRRELEVANT_KEYS.some((one) => one === key),
  );
  return { provider, endpoint: connection?.destination?.url, keys: Object.fromEntries(keys) };
}

/** Measures time, not counting time spent waiting in a queue. */
class Stopwatch {
  readonly #began = performance.now();
  #waits = 0;
  #since = 0;
  #waited = 0;

  /** Call this when a wait begins and when it ends. */
  readonly onWait = (isWaiting: boolean): void => {
    const before = this.#waits;
    this.#waits += isWaiting ? 1 : -1;
    if (before === 0) this.#since = performance.now();
    else if (this.#waits === 0) this.#waited += performance.now() - this.#since;
  };

  /** Milliseconds. */
  get elapsed(): number {
    return performance.now() - this.#began - this.#waited;
  }
}

const latency = z.number().min(0);

const replyEntry = z.strictObject({
  reply: modelReplySchema.extend({
    thoughts: z.array(z.record(z.string(), z.unknown())).exactOptional(),
  }),
  latency,
});

const embeddedEntry = z.strictObject({ embedded: embeddedSchema, latency });

const CACHEABLE_FINISHES: readonly ModelReply['finish'][] = ['stop', 'tool-calls', 'other'];

/** A model that sends requests only for answers that aren't cached. @param identity see `modelIdentityOf` */
export function cachingModel(model: Model, identity: object, lookup: AnswerLookup): Model {
  const { embed } = model;
  const keys = new WeakMap<ModelReply, string>();
  return {
    id: model.id,
    async complete(request, count, signal) {
      signal.throwIfAborted();
      const cacheKeys = lookup.keysOf(
        { kind: 'model', ...identity, ...cacheableRequestOf(request) },
        count,
      );
      const cached = await Promise.all(cacheKeys.map((key) => lookup.load(key, replyEntry)));
      const missing = cacheKeys.filter((_key, index) => !cached[index]);
      const stopwatch = new Stopwatch();
      const onWait = (isWaiting: boolean) => {
        stopwatch.onWait(isWaiting);
        request.onWait?.(isWaiting);
      };
      const fetched =
        missing.length === 0
          ? []
          : [...(await model.complete({ ...request, onWait }, missing.length, signal))];
      const latency = stopwatch.elapsed;
      const replies = cacheKeys.flatMap((key, index): ModelReply[] => {
        const entry = cached[index];
        const reply = entry ? cachedReplyOf(entry.reply, entry.latency) : fetched.shift();
        if (!reply) return [];
        keys.set(reply, key);
        if (!entry && isCacheable(reply, request)) lookup.store.save(key, { reply, latency });
        return [reply];
      });
      if (missing.length === 0) request.onText?.(replies[0]?.text ?? '');
      const [first, ...rest] = replies;
      if (!first) throw new Error('Internal error: a model gave no reply.');
      return [first, ...rest];
    },
    discard(reply) {
      const key = keys.get(reply);
      if (key !== undefined) lookup.store.delete(key);
    },
    ...(embed && {
      async embed(texts, signal) {
        signal.throwIfAborted();
        const [key = ''] = lookup.keysOf({ kind: 'embedding', ...identity, texts });
        const entry = await lookup.load(key, embeddedEntry);
        if (entry?.embedded.vectors.length === texts.length) {
          return cachedReplyOf(entry.embedded, entry.latency);
        }
        const began = performance.now();
        const embedded = await embed.call(model, texts, signal);
        lookup.store.save(key, { embedded, latency: performance.now() - began });
        return embedded;
      },
    }),
  };
}

/**
 * Whether to cache a reply. If truncated, filtered, broken, or empty replies or a judge's refusal were cached, they
 * would repeat the same error forever.
 */
function isCacheable(reply: ModelReply, { answer }: ModelRequest): boolean {
  const { finish, text, refusal, toolCalls, unscrubbed } = reply;
  // Once its secrets are removed, a check for them would pass.
  if (unscrubbed) return false;
  const isSaid = text !== '' || toolCalls.length > 0;
  return CACHEABLE_FINISHES.includes(finish) && (answer ? isSaid && !refusal : isSaid || !!refusal);
}

function cacheableRequestOf(modelRequest: ModelRequest) {
  const {
    onText: _,
    onWait: __,
    shared: ___,
    questions: ____,
    readImage: _____,
    thoughts,
    ...request
  } = modelRequest;
  return { request, thoughts: thoughts && request.messages.map((one) => thoughts.get(one)) };
}

export function cachedReplyOf<Reply extends { readonly usage?: Usage }>(
  reply: Reply,
  latency: number,
) {
  const usage = reply.usage as Reply['usage'];
  return { ...reply, usage: fromCache(usage), past: { usage, latency } };
}
