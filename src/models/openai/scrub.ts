import { visibleLine } from '../../core/presentation/visibleText.ts';

const HIDDEN = '[hidden]';
const LONGEST = 300;

/** Texts shorter than this are words, not secrets: hiding them would garble the message. */
const SHORTEST_SECRET = 6;

/**
 * Makes an endpoint's own words fit to be shown: no secret, one line, nothing hidden, cut short.
 */
export function scrub(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    for (const form of [secret, encodeURIComponent(secret)]) {
      clean = clean.replaceAll(form, HIDDEN);
    }
  }
  if (/<html|<!doctype/i.test(clean)) return 'an HTML page';
  return visibleLine(clean, LONGEST);
}

/** An address without user, password and query, any of which may hold a key. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return 'the address given';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
