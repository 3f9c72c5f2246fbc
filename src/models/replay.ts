import { resolve } from 'node:path';
import * as z from 'zod';
import { readLinked } from '../disk/regularFile.ts';
import type { ModelHost, ModelProvider } from './model.ts';
import { imagesKey, togetherKey } from './openai/params.ts';
import { openReplaySource, type ReplaySource, replayModel } from './replaySource.ts';

const replaySchema = z.strictObject({
  provider: z.literal('replay').describe('Answers from a recording; needs no API key.'),
  model: z.string().min(1).describe("The recorded model's name."),
  path: z.string().min(1).meta({
    description: 'The recording written by `--record`, relative to this file.',
    file: 'recording',
  }),
  max_input_tokens: z.int().min(1).optional().meta({
    description:
      "The recorded model's `max_input_tokens`, so that the replay splits conversations the same way.",
  }),
  temperature: z.number().min(0).max(2).optional().describe("The recorded model's `temperature`."),
  images: imagesKey(true).describe("The recorded model's `images`."),
  together: togetherKey,
});

/**
 * Sources by run (its host) and recording: all models in a run share one source per recording, so that a request
 * recorded several times is answered in order across all cases.
 */
const sources = new WeakMap<ModelHost, Map<string, Promise<ReplaySource>>>();

export const replayProvider: ModelProvider = {
  provider: 'replay',
  summary: 'answers from a recording',
  schema: replaySchema,
  async connect(spec) {
    const params = replaySchema.parse(spec.params);
    const path = resolve(spec.folder, params.path);
    return { create: async (host) => replayModel(spec.id, await sourceOf(host, path)) };
  },
};

function sourceOf(host: ModelHost, path: string): Promise<ReplaySource> {
  const ofHost = sources.get(host) ?? new Map<string, Promise<ReplaySource>>();
  sources.set(host, ofHost);
  const player = ofHost.get(path) ?? openReplaySource(path, host.log.warn, readLinked);
  ofHost.set(path, player);
  return player;
}
