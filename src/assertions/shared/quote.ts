import type { Turn, TurnItem } from '../../core/conversation.ts';
import type { Quote } from '../../core/verdict.ts';

/** Looks a judge's quote up in its turn, white space folded; what is not there is not verified. */
export function lookUpQuote(turn: Turn, quote: string): Quote {
  // Some judges copy the fence along.
  const text = quote.replace(/^\| /gm, '');
  const folded = fold(text);
  return { text, verified: folded !== '' && fold(wordsOf(turn)).includes(folded) };
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
