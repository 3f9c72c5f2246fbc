import { type Conversation, imagesIn, turnsOf } from '../../core/conversation.ts';
import type { ImageSources } from '../../core/image.ts';
import { dataUrlOf } from '../../node/dataUrl.ts';
import { readImage } from '../../store/images.ts';

/** Where the images of a shown conversation are: in an eval file and its files, or next to records. */
export interface ShownImages {
  readonly sources?: ImageSources | undefined;
  readonly roots: readonly string[];
}

/** The reply to a page's `load-image`. Only images of the conversations that it shows are read. */
export async function imageMessage(
  digest: string,
  conversations: readonly Conversation[],
  { sources, roots }: ShownImages,
) {
  const image = conversations
    .flatMap((one) => imagesIn(turnsOf(one)))
    .find((one) => one.digest === digest);
  let bytes = image && (await readImage(image, sources, undefined));
  for (const root of roots) bytes ??= image && (await readImage(image, undefined, root));
  const source = image && bytes && dataUrlOf(image, bytes);
  return { kind: 'image', digest, ...(source !== undefined && { source }) } as const;
}
