import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_USAGE } from '../../../src/core/verdict.ts';
import { AnswerLookup, cachingModel } from '../../../src/models/cache.ts';
import type { Model, ModelRequest } from '../../../src/models/model.ts';

/** Number of requests to a model that refuses, from two runs that share a cache. */
async function askedTwice(request: ModelRequest): Promise<number> {
  const kept = new Map<string, unknown>();
  const store = {
    load: async (key: string) => kept.get(key),
    save: (key: string, answer: unknown) => void kept.set(key, answer),
    delete: (key: string) => void kept.delete(key),
  };
  let asked = 0;
  const model: Model = {
    id: 'openai:m',
    async complete() {
      asked += 1;
      return [{ text: '', refusal: 'No.', toolCalls: [], finish: 'stop', usage: NO_USAGE }];
    },
  };
  for (let run = 0; run < 2; run += 1) {
    const caching = cachingModel(model, {}, new AnswerLookup(store, 1));
    await caching.complete(request, 1, new AbortController().signal);
  }
  return asked;
}

const REQUEST: ModelRequest = { messages: [{ role: 'user', content: 'Hi' }] };

test('caches the refusal of an agent, but not that of a judge', async () => {
  const answer = { name: 'verdict', schema: {} };
  assert.equal(await askedTwice({ ...REQUEST, answer }), 2);
  assert.equal(await askedTwice(REQUEST), 1);
});
