import { addTo } from '../src/core/data/data.ts';
import type { Image } from '../src/core/image.ts';
import { h } from './h.ts';

/** Shows a conversation's images. Requests each one once, when it is first shown. */
export class Images {
  readonly #sources: Map<string, string>;
  readonly #waiting = new Map<string, ((source: string | undefined) => void)[]>();
  readonly #request: ((digest: string) => void) | undefined;

  /** @param request undefined if there are no images but those in `sources` @param sources data URLs by digest */
  constructor(
    request: ((digest: string) => void) | undefined,
    sources: Iterable<readonly [string, string]> = [],
  ) {
    this.#request = request;
    this.#sources = new Map(sources);
  }

  /** @param source a data URL; undefined if the image is missing */
  receive(digest: string, source: string | undefined): void {
    if (source !== undefined) this.#sources.set(digest, source);
    for (const show of this.#waiting.get(digest) ?? []) show(source);
    this.#waiting.delete(digest);
  }

  /** An image that the user can enlarge. @param key identifies it in the conversation */
  render({ digest, alt }: Image, key: string): HTMLElement {
    const name = alt === undefined ? 'Image' : `Image: ${alt}`;
    const picture = h('img', { alt: name });
    const element = h(
      'details',
      { class: 'image', 'data-key': `image ${key}` },
      h('summary', { title: 'Enlarge or reduce' }, picture),
    );
    const fail = (words: string) => element.replaceWith(hint(words));
    picture.addEventListener('error', () => fail('⚠ The image is damaged.'));
    const known = this.#sources.get(digest);
    if (known !== undefined) {
      picture.src = known;
      return element;
    }
    if (!this.#request) return hint('⚠ The report does not contain this image.');
    if (!this.#waiting.has(digest)) this.#request(digest);
    addTo(this.#waiting, digest, (source) => {
      if (source === undefined) fail('⚠ The image is missing: its file was removed or changed.');
      else picture.src = source;
    });
    return element;
  }
}

/** The page's own words, which aren't searched for quotes. */
function hint(words: string): HTMLElement {
  return h('span', { class: 'label' }, words);
}
