import { sha256 } from '../../src/node/hashes.ts';

/** A red square of 400 × 400 pixels. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAZAAAAGQAQMAAAC6caSPAAAABlBMVEXIICAgIMgBWY3sAAAAKklEQVR42u3BMQEAAADCoPVP7W8GoAAAAAAAAAAAAAAAAAAAAAAAAACAN0+wAAGUQRhcAAAAAElFTkSuQmCC',
  'base64',
);

export const IMAGE = { digest: sha256(PNG), media_type: 'image/png' as const };
