import { imagesOf, type Message } from '../core/message.ts';
import type { ModelSpec } from '../core/suite.ts';
import type { Model, ModelRequest } from './model.ts';
import { findProvider } from './registry.ts';

/** Whether a model takes images: its key `images`, or else that key's default. */
export function takesImages({ provider, params }: ModelSpec): boolean {
  const key = findProvider(provider)?.schema.shape.images;
  return (params.images ?? key?.meta()?.default) === true;
}

/** Tells a model that `[image: …]` is all that it gets. */
const NOT_SHOWN = '[The images are not shown to you.]';

/** A model that gets images only if it takes them; otherwise, a note. */
export function modelWithImages(
  model: Model,
  spec: ModelSpec,
  readImage: ModelRequest['readImage'],
): Model {
  const { embed } = model;
  const isShown = takesImages(spec);
  const prepare = (request: ModelRequest): ModelRequest => {
    if (!request.messages.some((one) => imagesOf(one).length > 0)) return request;
    if (isShown) return readImage ? { ...request, readImage } : request;
    return { ...request, messages: request.messages.map(withoutImages) };
  };
  return {
    id: model.id,
    complete: (request, count, signal) => model.complete(prepare(request), count, signal),
    ...(model.discard && { discard: (reply) => model.discard?.(reply) }),
    ...(embed && { embed: (texts, signal) => embed.call(model, texts, signal) }),
  };
}

function withoutImages(message: Message): Message {
  if (imagesOf(message).length === 0 || !('images' in message)) return message;
  const { images: _, ...rest } = message;
  return { ...rest, content: `${rest.content}\n\n${NOT_SHOWN}` };
}
