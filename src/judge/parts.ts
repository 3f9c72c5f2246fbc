import { type Conversation, imagesIn, type Turn, turnsOf } from '../core/conversation.ts';
import { IMAGE_TOKENS } from '../core/image.ts';
import type { Assertion } from '../core/suite.ts';
import type { Model } from '../models/model.ts';
import { JudgeError } from './ask.ts';
import { conversationBlock, type ShownTurns, turnText } from './conversationBlock.ts';

/** Consecutive turns that are judged in one request, and the turns that the request shows. */
export interface Part {
  readonly turns: readonly Turn[];
  readonly shown: ShownTurns;
}

const DEFAULT_WINDOW = 10;

export interface ReadingOptions {
  /** `turn`: each judged turn gets its own request. */
  readonly granularity: 'conversation' | 'turn';
  /** Number of turns to show before the judged ones if not all turns are shown. */
  readonly window: number;
  /** The judge's context window in tokens, if known. */
  readonly maxInputTokens: number | undefined;
}

export function readingOptionsOf({ granularity, window, judge }: Assertion): ReadingOptions {
  const limit = judge?.params.max_input_tokens;
  return {
    granularity: granularity ?? 'conversation',
    window: window ?? DEFAULT_WINDOW,
    maxInputTokens: typeof limit === 'number' ? limit : undefined,
  };
}

export interface Capacity {
  readonly maxInputTokens: number;
  readonly countTokens: (text: string) => number;
}

/**
 * The parts in which to judge a conversation; undefined if one request is enough.
 *
 * @param size number of tokens in a request about the whole conversation: in the conversation block, and in everything
 * `around` it
 */
export function partition(
  conversation: Conversation,
  judged: readonly Turn[],
  { granularity, window }: Omit<ReadingOptions, 'maxInputTokens'>,
  capacity: Capacity | undefined,
  size: (capacity: Capacity) => { readonly block: number; readonly around: number },
): Partition | undefined {
  if (granularity === 'turn' && judged.length > 0) {
    const shownWith = ({ number }: Turn) => ({ from: Math.max(1, number - window), to: number });
    return { parts: judged.map((turn) => ({ turns: [turn], shown: shownWith(turn) })) };
  }
  if (!capacity) return undefined;
  const { maxInputTokens, countTokens } = capacity;
  const { block, around } = size(capacity);
  const usable = usableTokens(maxInputTokens);
  if (around + block <= usable) return undefined;
  const room = (usable - around) * SHARE_WITHOUT_FINDINGS;
  return partsThatFit(conversation, judged, window, room, countTokens);
}

/** The share of the window to use: tokenizers differ, and a repair request is longer than the original. */
const USABLE_SHARE = 0.9;

/** The share to use without findings; the rest is for findings about earlier parts. */
const SHARE_WITHOUT_FINDINGS = 0.7;

/** Maximum tokens in a request. @param maxInputTokens the judge's context window */
export function usableTokens(maxInputTokens: number): number {
  return maxInputTokens * USABLE_SHARE;
}

/** `tooLong` contains turns that must be shown together but don't fit. */
type Partition =
  | { readonly parts: readonly Part[] }
  | { readonly tooLong: readonly [Turn, ...Turn[]] };

/** The first turn that must be shown with a judged turn: a reply needs the message before it. */
export function earliestNeeded({ number }: Turn, window: number): number {
  return window > 0 ? Math.max(1, number - 1) : number;
}

/**
 * Divides a conversation into consecutive parts that fit. Each part shows up to `window` earlier turns, or fewer if
 * they don't fit. The last part also shows the turns after the last judged turn.
 *
 * @param judged at least one turn, in order
 * @param room maximum tokens in a part's conversation block
 */
function partsThatFit(
  conversation: Conversation,
  judged: readonly Turn[],
  window: number,
  room: number,
  countTokens: (text: string) => number,
): Partition {
  const all = turnsOf(conversation);
  const last = all.length;
  const tokensOf = (turn: Turn) =>
    countTokens(`${turnText(turn)}\n`) + imagesIn([turn]).length * IMAGE_TOKENS;
  const cost = new Map(all.map((turn) => [turn.number, tokensOf(turn)]));
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
    const needed = earliestNeeded(first, window);
    let from = Math.min(begin, needed);
    while (from < needed && !fits(from, first.number)) from += 1;
    if (!fits(first.number, first.number)) return { tooLong: [first] };
    if (!fits(from, first.number)) {
      return { tooLong: [first, ...all.slice(from - 1, first.number - 1)] };
    }
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

interface Reader {
  readonly model: Model;
  readonly maxInputTokens: number | undefined;
}

/** @param turns a judged turn, and the earlier turns that must be shown with it */
export function tooLongError(reader: Reader, [turn, before]: readonly Turn[] = []): JudgeError {
  const alone = before === undefined ? 'alone' : `with turn ${before.number} before it`;
  const what = turn === undefined ? 'The text to judge' : `Turn ${turn.number} ${alone}`;
  const message = `${what} does not fit in ${contextWindowText(reader)}. Use a judge with a larger context window.`;
  return new JudgeError('too-long', message);
}

export function contextWindowText({ model, maxInputTokens = 0 }: Reader): string {
  return `the context window of ${model.id} (\`max_input_tokens\`: ${maxInputTokens})`;
}
