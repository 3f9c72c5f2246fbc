import { type ImageFacts, imageTypeOf } from '../core/image.ts';
import { LIMITS } from '../core/limits.ts';
import { sha256 } from '../node/hashes.ts';
import { FileError, tooLarge } from './files.ts';

/** @throws FileError */
export function imageFactsOf(bytes: Uint8Array): ImageFacts {
  const type = imageTypeOf(bytes);
  if (type) return { digest: sha256(bytes), media_type: type, size: bytes.length };
  throw new FileError('not-image', 'This is not a PNG, JPEG, GIF, or WebP image.');
}

/** What to do about an image that is too large. */
export const SHRINK = 'Use a smaller image.';

/** The bytes of base64, which may contain line breaks. @throws FileError */
export function decodeImage(data: string): Uint8Array {
  const text = data.replaceAll(/\s/g, '');
  const size = Math.floor((text.length * 3) / 4);
  if (size > LIMITS.image) throw tooLarge(size, LIMITS.image, SHRINK);
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return Buffer.from(text, 'base64');
  throw new FileError('not-image', 'This is not base64, such as `iVBORw0KGgo…`.');
}
