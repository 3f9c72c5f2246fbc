import { setTimeout as wait } from 'node:timers/promises';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import type { ChatBody } from '../../test/support/modelServer/chatBody.ts';
import { startModelServer } from '../../test/support/modelServer/server.ts';
import { PromptCache } from './promptCache.ts';

/** Counts for one or more requests. All except `requests` are in o200k tokens. */
export interface Counts {
  readonly requests: number;
  /** Tokens in the messages and in the answer's JSON Schema, which endpoints read too. */
  readonly promptTokens: number;
  /** The part of `promptTokens` that a prompt cache would serve if the schema comes after the messages. */
  readonly cacheable: number;
  /** Like `cacheable`, but for a cache with blocks of 128 tokens. */
  readonly cacheableInSteps: number;
  /** Like `cacheable`, but if the schema comes before the messages. */
  readonly cacheableBehindSchema: number;
}

export interface CountedRequest extends Counts {
  /** The `user` field of the request, which clients can use to tell requests apart. */
  readonly label: string;
}

/** According to its documentation, OpenAI's cache serves 1,024 tokens, and more in steps of 128. */
const STEP = 128;

export interface CountingServer {
  readonly baseUrl: string;
  /** Returns the requests since the last call. */
  drain(): CountedRequest[];
  /**
   * Empties the caches. If `sideBySide` is true, concurrent requests can't use each other's cache entries; otherwise,
   * each request counts as finished before the next one arrives.
   */
  restart(sideBySide: boolean): void;
  close(): Promise<void>;
}

/** Milliseconds without a new request after which a batch of concurrent requests counts as complete. */
const QUIET = 25;

/** Starts a server that answers with a function of the request, and counts the requests. */
export async function startCountingServer(
  answer: (body: ChatBody) => string,
): Promise<CountingServer> {
  let counted: CountedRequest[] = [];
  let caches = emptyCaches();
  let sideBySide = false;
  let arrived = 0;
  let batch: Prompt[] = [];

  function settle(): void {
    const prompts = batch;
    batch = [];
    for (const { label, behind, before } of prompts) {
      counted.push({
        label,
        requests: 1,
        promptTokens: behind.length,
        cacheable: caches.behind.served(behind),
        cacheableInSteps: caches.steps.served(behind),
        cacheableBehindSchema: caches.before.served(before),
      });
    }
    for (const { behind, before } of prompts) {
      caches.behind.add(behind);
      caches.steps.add(behind);
      caches.before.add(before);
    }
  }

  async function script(body: ChatBody) {
    batch.push(promptOf(body));
    if (sideBySide) {
      let seen: number;
      arrived += 1;
      do {
        seen = arrived;
        await wait(QUIET);
      } while (seen !== arrived);
    }
    settle();
    return { text: answer(body), usage: { input: 0, output: 0 } };
  }

  const { baseUrl, close } = await startModelServer(script);
  return {
    baseUrl,
    drain() {
      const drained = counted;
      counted = [];
      return drained;
    },
    restart(together) {
      sideBySide = together;
      caches = emptyCaches();
    },
    close,
  };
}

export function sumUp(counts: readonly Counts[]): Counts {
  const sum = (key: keyof Counts) => counts.reduce((total, one) => total + one[key], 0);
  return {
    requests: sum('requests'),
    promptTokens: sum('promptTokens'),
    cacheable: sum('cacheable'),
    cacheableInSteps: sum('cacheableInSteps'),
    cacheableBehindSchema: sum('cacheableBehindSchema'),
  };
}

function emptyCaches() {
  return { behind: new PromptCache(), steps: new PromptCache(STEP), before: new PromptCache() };
}

/** The prompt's tokens, with the schema after the messages and with the schema before them. */
export interface Prompt {
  readonly label: string;
  readonly behind: readonly number[];
  readonly before: readonly number[];
}

/** Tokenizer options that encode special tokens such as `<|endoftext|>` as plain text. */
const PLAIN = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

export function promptOf(body: ChatBody): Prompt {
  const schema = body.response_format?.json_schema?.schema;
  const schemaTokens = schema === undefined ? [] : encode(JSON.stringify(schema), PLAIN);
  const messages = encode(promptText(body), PLAIN);
  return {
    label: String(body.user ?? ''),
    behind: [...messages, ...schemaTokens],
    before: [...schemaTokens, ...messages],
  };
}

/** The messages one after another, each preceded by its role. */
export function promptText({ messages }: ChatBody): string {
  return messages.map(({ role, content }) => `${role}\n${contentText(content)}\n`).join('');
}

/** The text of a message's content, joined if it has several parts. */
function contentText(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map((part: unknown) => String(Reflect.get(Object(part), 'text') ?? '')).join('');
}
