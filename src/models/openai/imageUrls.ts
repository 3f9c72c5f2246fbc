import type { Image } from '../../core/image.ts';
import { imagesOf, type Message } from '../../core/message.ts';
import { dataUrlOf } from '../../node/dataUrl.ts';
import type { ModelRequest } from '../model.ts';

/** Data URLs by digest. */
export type ImageUrls = ReadonlyMap<string, string>;

/** A message's data URLs, in order. */
export function urlsOf(message: Message, images: ImageUrls): string[] {
  return imagesOf(message).flatMap(({ digest }) => images.get(digest) ?? []);
}

/** The images of a request's user messages. No API takes images of an assistant. */
export async function imageUrlsOf({ messages, readImage }: ModelRequest): Promise<ImageUrls> {
  const images = messages.flatMap((one) => (one.role === 'user' ? imagesOf(one) : []));
  const urlOf = async (image: Image) => {
    const bytes = (await readImage?.(image)) ?? new Uint8Array();
    return [image.digest, dataUrlOf(image, bytes)] as const;
  };
  return new Map(await Promise.all(images.map(urlOf)));
}
