import * as z from 'zod';

/** The types that models and the conversation view can show. SVG isn't one of them: it can contain scripts. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

export type ImageType = (typeof IMAGE_TYPES)[number];

/** An image of a message. Its bytes are never part of a conversation. */
export const imageSchema = z.object({
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ description: "SHA-256 hash of the image's bytes, in hexadecimal." }),
  media_type: z.enum(IMAGE_TYPES).meta({ description: 'Media type.' }),
  alt: z.string().optional().meta({ description: 'What the image shows, in words.' }),
});

export type Image = z.infer<typeof imageSchema>;

/** What is known about an image's file. `size` is in bytes. */
export interface ImageFacts extends Pick<Image, 'digest' | 'media_type'> {
  readonly size: number;
}

/** Where the bytes of an image are. Paths are absolute. */
export type ImageSource = { readonly path: string } | { readonly bytes: Uint8Array };

/** Sources by digest. */
export type ImageSources = ReadonlyMap<string, ImageSource>;

/** Estimated number of tokens per image. Models differ: most count between 100 and 3,000. */
export const IMAGE_TOKENS = 1_500;

/** Marks the position of an image in a message's text: `[image: A red shoe]`. */
export function imageText(alt: string | undefined): string {
  return alt === undefined ? '[image]' : `[image: ${alt}]`;
}

/** The name of a stored image's file. */
export function imageFileName({ digest, media_type }: Image): string {
  return `${digest}.${media_type.slice('image/'.length)}`;
}

/** The media type according to the first bytes; undefined if it isn't one of `IMAGE_TYPES`. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const start = Array.from(bytes.subarray(0, 12), (byte) => byte.toString(16).padStart(2, '0'));
  return IMAGE_TYPES.find((type) => MAGIC[type].test(start.join('')));
}

/** The first bytes in hexadecimal. */
const MAGIC: Readonly<Record<ImageType, RegExp>> = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  'image/gif': /^474946383[79]61/,
  'image/webp': /^52494646.{8}57454250/,
};
