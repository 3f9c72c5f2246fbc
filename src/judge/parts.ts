import type { Conversation, Turn } from '../core/conversation.ts';
import { turnsOf } from '../core/conversation.ts';
import type { ShownTurns } from './conversationBlock.ts';
import { conversationBlock, turnText } from './conversationBlock.ts';

/** Consecutive turns that are judged in one request, and what is shown with them. */
export interface Part {
  readonly turns: readonly Turn[];
  readonly shown: ShownTurns;
}

/** One part for each judged turn. @param window turns shown before it */
export function partPerTurn(judged: readonly Turn[], window: number): Part[] {
  return judged.map((turn) => ({
    turns: [turn],
    shown: { from: Math.max(1, turn.number - window), to: turn.number },
  }));
}

export type Partition = { readonly parts: readonly Part[] } | { readonly tooLong: Turn };

/**
 * Cuts a conversation into consecutive parts that fit. Each shows up to `window` turns before those
 * that it judges, fewer where they do not fit, and the last one what follows the last judged turn.
 *
 * @param judged at least one turn, in order
 * @param room tokens that a part's conversation block may take
 */
export function partsThatFit(
  conversation: Conversation,
  judged: readonly Turn[],
  window: number,
  room: number,
  countTokens: (text: string) => number,
): Partition {
  const all = turnsOf(conversation);
  const last = all.length;
  const cost = new Map(all.map((turn) => [turn.number, countTokens(`${turnText(turn)}\n`)]));
  const frame = countTokens(conversationBlock(conversation, { from: last + 1, to: last }));
  const fits = (from: number, to: number) => {
    let sum = frame;
    for (let number = from; number <= to; number += 1) sum += cost.get(number) ?? 0;
    return sum <= room;
  };
  const parts: Part[] = [];
  let rest = judged;
  let begin = 1;
  while (rest[0]) {
    const first = rest[0];
    let from = begin;
    while (from < first.number && !fits(from, first.number)) from += 1;
    if (!fits(from, first.number)) return { tooLong: first };
    let count = 1;
    while (rest[count] && fits(from, rest[count]?.number ?? 0)) count += 1;
    const turns = rest.slice(0, count);
    rest = rest.slice(count);
    const end = turns.at(-1)?.number ?? first.number;
    const to = rest.length === 0 && fits(from, last) ? last : end;
    while (from > 1 && begin - from < window && fits(from - 1, to)) from -= 1;
    parts.push({ turns, shown: { from, to } });
    begin = end + 1;
  }
  return { parts };
}
