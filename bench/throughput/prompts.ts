import { promptOf } from '../judge-cost/countingServer.ts';
import { PromptCache } from '../judge-cost/promptCache.ts';
import type { AskedRequest } from './endpoint.ts';

/** Of all requests of a run, in tokens of o200k. */
export interface Prompts {
  readonly promptTokens: number;
  /** Of these, what a prompt cache would serve of what was answered before a request came. */
  readonly cacheable: number;
}

export function promptsOf(requests: readonly AskedRequest[]): Prompts {
  const cache = new PromptCache();
  const sum = { promptTokens: 0, cacheable: 0 };
  const events = requests.flatMap(({ body, came, answered }) => {
    const tokens = promptOf(body).behind;
    const begin = () => {
      sum.promptTokens += tokens.length;
      sum.cacheable += cache.served(tokens);
    };
    return [
      { at: came, happens: begin },
      { at: answered, happens: () => cache.add(tokens) },
    ];
  });
  for (const { happens } of events.sort((a, b) => a.at - b.at)) happens();
  return sum;
}
