import type { Turn, TurnItem } from '../../core/conversation.ts';
import type { Quote } from '../../core/verdict.ts';

/**
 * Looks up a judge's quote in its turn, with white space folded; a quote that isn't there is not verified.
 *
 * @returns undefined if nothing is quoted
 */
export function lookUpQuote(turn: Turn, quote: string): Quote | undefined {
  // Some judges copy the fence along.
  const text = quote.replace(/^\| /gm, '');
  const folded = fold(text);
  if (folded === '') return undefined;
  return { text, verified: fold(wordsOf(turn)).includes(folded) };
}

/** All that a judge may quote of a turn: what was said, tool calls as JSON, results, retrieved context. */
function wordsOf({ items, retrievalContext = [] }: Turn): string {
  return [...items.map(wordsOfItem), ...retrievalContext].join('\n');
}

function wordsOfItem(item: TurnItem): string {
  if (item.kind !== 'tool-call') return item.text;
  return `${item.call.name} ${JSON.stringify(item.call.arguments)}\n${item.result ?? ''}`;
}

function fold(text: string): string {
  return text.replace(/[\s]+/g, ' ').trim();
}
