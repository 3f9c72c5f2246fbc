import { promptOf } from '../judge-cost/countingServer.ts';
import { PromptCache } from '../judge-cost/promptCache.ts';
import type { AskedRequest } from './endpoint.ts';

/** Totals over all requests of a run, in o200k tokens. */
export interface Prompts {
  readonly promptTokens: number;
  /** The part that a prompt cache would serve, given the requests that were answered earlier. */
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
