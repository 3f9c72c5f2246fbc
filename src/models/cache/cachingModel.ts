import * as z from 'zod';
import { fromCache } from '../../core/verdict.ts';
import { embeddedSchema, modelReplySchema } from '../exchange.ts';
import type { Model, ModelReply, ModelRequest, Replies } from '../model.ts';
import type { Lookup } from './lookup.ts';
import { Stopwatch } from './stopwatch.ts';

const latency = z.number().min(0);

const replyEntry = z.strictObject({
  reply: modelReplySchema.extend({
    thoughts: z.array(z.record(z.string(), z.unknown())).exactOptional(),
  }),
  latency,
});

const embeddedEntry = z.strictObject({ embedded: embeddedSchema, latency });

const ENDS: readonly ModelReply['finish'][] = ['stop', 'tool-calls', 'other'];

/**
 * The model, asked only for what earlier runs did not ask.
 *
 * @param identity as of `modelIdentity`
 */
export function cachingModel(model: Model, identity: object, lookup: Lookup): Model {
  const { embed } = model;
  const keys = new WeakMap<ModelReply, string>();
  return {
    id: model.id,
    async complete(request, count, signal) {
      signal.throwIfAborted();
      const wanted = lookup.keysOf({ kind: 'model', ...identity, ...questionOf(request) }, count);
      const known = await Promise.all(wanted.map((key) => lookup.load(key, replyEntry)));
      const missing = wanted.filter((_key, index) => !known[index]);
      const watch = new Stopwatch();
      const watched = { ...request, waits: both(watch.waits, request.waits) };
      const asked =
        missing.length === 0 ? [] : [...(await model.complete(watched, missing.length, signal))];
      const latency = watch.taken;
      const replies = wanted.flatMap((key, index): ModelReply[] => {
        const entry = known[index];
        const reply = entry ? recalled(entry) : asked.shift();
        if (!reply) return [];
        keys.set(reply, key);
        if (!entry && isWhole(reply, request)) lookup.save(key, { reply, latency });
        return [reply];
      });
      if (missing.length === 0) request.hear?.(replies[0]?.text ?? '');
      return atLeastOne(replies);
    },
    disown(reply) {
      const key = keys.get(reply);
      if (key !== undefined) lookup.forget(key);
    },
    ...(embed && {
      async embed(texts, signal) {
        signal.throwIfAborted();
        const [key = ''] = lookup.keysOf({ kind: 'embedding', ...identity, texts });
        const entry = await lookup.load(key, embeddedEntry);
        if (entry?.embedded.vectors.length === texts.length) {
          const { embedded, latency } = entry;
          const { vectors, usage } = embedded;
          return { vectors, usage: fromCache(usage), past: { usage, latency } };
        }
        const began = performance.now();
        const embedded = await embed.call(model, texts, signal);
        lookup.save(key, { embedded, latency: performance.now() - began });
        return embedded;
      },
    }),
  };
}

/** What was cut off, filtered, broken or empty would be the same error for ever, and so would a judge's refusal. */
function isWhole(
  { finish, text, refusal, toolCalls }: ModelReply,
  { answer }: ModelRequest,
): boolean {
  const isSaid = text !== '' || toolCalls.length > 0;
  return ENDS.includes(finish) && (answer ? isSaid && !refusal : isSaid || !!refusal);
}

/** All that decides the answer. */
function questionOf(asked: ModelRequest) {
  const { hear: _, waits: __, shared: ___, questions: ____, thoughts, ...request } = asked;
  return { request, thoughts: thoughts && request.messages.map((one) => thoughts.get(one)) };
}

type Waits = NonNullable<ModelRequest['waits']>;

function both(one: Waits, other: Waits | undefined): Waits {
  return (isWaiting) => {
    one(isWaiting);
    other?.(isWaiting);
  };
}

function recalled({ reply, latency }: z.infer<typeof replyEntry>): ModelReply {
  const { usage } = reply;
  return { ...reply, usage: fromCache(usage), past: { usage, latency } };
}

function atLeastOne([first, ...rest]: readonly ModelReply[]): Replies {
  if (!first) throw new Error('Internal error: a model gave no reply.');
  return [first, ...rest];
}
