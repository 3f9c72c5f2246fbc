import type { Image } from '../core/image.ts';

export function dataUrlOf({ media_type }: Image, bytes: Uint8Array): string {
  return `data:${media_type};base64,${Buffer.from(bytes).toString('base64')}`;
}
