import * as z from 'zod';
import { imageSchema } from '../core/image.ts';

const { digest } = imageSchema.shape;

export const dataUrlSchema = z
  .string()
  .regex(/^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/);

/** A page's request for an image of the conversation that it shows. */
export const loadImage = z.strictObject({ kind: z.literal('load-image'), digest });

/** The reply to `load-image`. Without `source`, the image is missing. */
export const loadedImage = z.strictObject({
  kind: z.literal('image'),
  digest,
  source: dataUrlSchema.optional(),
});
