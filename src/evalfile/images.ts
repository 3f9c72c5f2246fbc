import type { SourcedMessage } from '../core/conversation.ts';
import { addTo } from '../core/data/data.ts';
import type { Image, ImageFacts, ImageSource } from '../core/image.ts';
import { LIMITS } from '../core/limits.ts';
import type { Message } from '../core/message.ts';
import type { GivenImage } from '../messages/dialect.ts';
import { FileError } from './files.ts';
import { decodeImage, imageFactsOf } from './imageFacts.ts';
import { findReferenced } from './referencedFiles.ts';
import { type Location, report, within } from './scope.ts';
import type { LoadedTranscript } from './transcript.ts';

/** Reads the images of one conversation. */
export class ImageReader {
  /** Where the images are, by digest. */
  readonly sources = new Map<string, ImageSource>();
  #count = 0;
  #size = 0;

  /** Undefined after reporting a problem: an error, or a warning if the image is in another tool's format. */
  async read(given: GivenImage, location: Location): Promise<Image | undefined> {
    const { path, alt, isForeign = false } = given;
    const at = isForeign ? location : within(location, path === undefined ? 'data' : 'path');
    try {
      const found = await readImage(given, at);
      if (!found) return undefined;
      const { digest, media_type, size } = found.facts;
      this.#count += 1;
      this.#size += size;
      if (this.#count > LIMITS.images || this.#size > LIMITS.allImages) {
        throw new FileError('too-large', TOO_MUCH);
      }
      this.sources.set(digest, found.source);
      return { digest, media_type, ...(alt !== undefined && { alt }) };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      const message = isForeign ? `${error.message} It is not shown.` : error.message;
      report(`image-${error.reason}`, message, at, { severity: isForeign ? 'warning' : 'error' });
      return undefined;
    }
  }
}

/** A conversation's messages with their images. @param location the case */
export async function messagesWithImages(
  { messages, images = [] }: LoadedTranscript,
  reader: ImageReader,
  location: Location,
): Promise<readonly SourcedMessage[]> {
  const read = new Map<number, Image[]>();
  for (const { message, given, document, path } of images) {
    const image = await reader.read(given, { ...location, document, path });
    if (image) addTo(read, message, image);
  }
  return messages.map((one, index) => {
    const own = read.get(index);
    return own ? { ...one, message: { ...one.message, images: own } as Message } : one;
  });
}

const TOO_MUCH = `The conversation has more than ${LIMITS.images} images, or more than ${LIMITS.allImages / 1e6} MB of images. Remove some.`;

interface FoundImage {
  readonly facts: ImageFacts;
  readonly source: ImageSource;
}

/** Undefined after reporting that there is no such file. @throws FileError */
async function readImage(
  { path: reference, data = '' }: GivenImage,
  at: Location,
): Promise<FoundImage | undefined> {
  if (reference === undefined) {
    const bytes = decodeImage(data);
    return { facts: imageFactsOf(bytes), source: { bytes } };
  }
  const path = await findReferenced(reference, at, 'image');
  return path === undefined
    ? undefined
    : { facts: await at.scope.files.image(path), source: { path } };
}
