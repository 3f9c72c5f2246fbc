import { visibleLine } from '../core/presentation/visibleText.ts';
import type { Scrubber } from '../core/scrubber.ts';

const LONGEST = 300;

/** An endpoint's own words, fit to be shown: no secret, one line, nothing hidden, cut short. */
export function shownWords(text: string, scrubber: Scrubber): string {
  // Before the cut, which could leave half of a secret.
  const clean = scrubber.text(text);
  if (/<html|<!doctype/i.test(clean)) return 'an HTML page';
  return visibleLine(clean, LONGEST);
}

/** An address without user, password and query, any of which may hold a key. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return 'the address given';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
