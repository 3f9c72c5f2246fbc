import { setTimeout as wait } from 'node:timers/promises';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import type { ChatBody } from '../../test/support/modelServer/chatBody.ts';
import { startModelServer } from '../../test/support/modelServer/server.ts';
import { PromptCache } from './promptCache.ts';

/** Of one or several requests; in tokens of o200k, but `requests`. */
export interface Counts {
  readonly requests: number;
  /** The messages and the JSON Schema of the answer, which endpoints read too. */
  readonly promptTokens: number;
  /** Of these, what a prompt cache would serve where the schema stands after the messages. */
  readonly cacheable: number;
  /** As `cacheable`, where the cache's blocks are of 128 tokens. */
  readonly cacheableInSteps: number;
  /** As `cacheable`, where the schema stands before the messages. */
  readonly cacheableBehindSchema: number;
}

export interface CountedRequest extends Counts {
  /** The field `user` of the request, by which a client may tell its requests apart. */
  readonly label: string;
}

/** OpenAI documents that its cache serves 1,024 tokens and what follows in steps of 128. */
const STEP = 128;

export interface CountingServer {
  readonly baseUrl: string;
  /** The requests since the last call. */
  drain(): CountedRequest[];
  /**
   * Empties the caches. `sideBySide`: requests that are under way at once do not serve each other;
   * without it each request counts as done before the next one comes.
   */
  restart(sideBySide: boolean): void;
  close(): Promise<void>;
}

/** A pause after which no further request of those sent at once is to be expected, in milliseconds. */
const QUIET = 25;

/** Answers by a function of the request and counts what it is sent. */
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

/** The prompt's tokens with the schema after the messages, and before them. */
export interface Prompt {
  readonly label: string;
  readonly behind: readonly number[];
  readonly before: readonly number[];
}

/** Nothing in a text is a command to the tokenizer, `<|endoftext|>` included. */
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

/** The messages one after another, each after the name of its role. */
export function promptText({ messages }: ChatBody): string {
  return messages.map(({ role, content }) => `${role}\n${contentText(content)}\n`).join('');
}

/** A text, or the texts of its parts. */
function contentText(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map((part: unknown) => String(Reflect.get(Object(part), 'text') ?? '')).join('');
}
