import type { Scrubber } from '../core/scrubber.ts';
import { type Model, ModelError } from './model.ts';

/** The model, its replies and errors without secrets, so that none is judged, kept or said on. */
export function scrubbedModel(model: Model, scrubber: Scrubber): Model {
  const { embed } = model;
  const clean = (error: unknown) => {
    throw error instanceof ModelError
      ? new ModelError(error.reason, scrubber.text(error.message))
      : error;
  };
  return {
    id: scrubber.text(model.id),
    async complete(request, count, signal) {
      return scrubber.data(await model.complete(request, count, signal).catch(clean));
    },
    ...(embed && { embed: (texts, signal) => embed.call(model, texts, signal).catch(clean) }),
  };
}
