import { type Conversation, textOf, turnsOf } from '../../core/conversation.ts';
import type { Example } from '../../core/record/label.ts';
import { conversationHash } from '../../node/hashes.ts';

/** More of them cost more than they teach. */
const MOST = 4;

/** Characters that one may take. A longer one is not shown at all: nothing is cut. */
const LONGEST = 8_000;

/** Conversations that share more of their words are taken for the same one. */
const TOO_ALIKE = 0.8;

export interface ShownExample {
  readonly example: Example;
  /** As the judge reads it. */
  readonly text: string;
}

/**
 * The examples for a conversation: one that people fail and one that they pass in turn, of each kind first the one
 * that shares most words with the conversation, equal ones by their hash. Words that most of the candidates have tell
 * nothing and are left out. Never the conversation itself, nor one that is hardly another one.
 *
 * @param room characters that all of them may take
 */
export function chooseExamples(
  judged: Conversation,
  candidates: readonly Example[],
  textFor: (example: Example) => string,
  room: number,
): ShownExample[] {
  const hash = conversationHash(judged);
  const words = wordsOf(judged);
  const user = userWords(judged);
  const isOther = (one: Example) => one.hash !== hash && userWords(one.conversation) !== user;
  const known = candidates.map((example) => ({ example, own: wordsOf(example.conversation) }));
  const telling = without(wordsOfMost(known.map(({ own }) => own)));
  const ranked = known
    .filter(({ example, own }) => isOther(example) && likeness(words, own) <= TOO_ALIKE)
    .map(({ example, own }) => ({ example, likeness: likeness(telling(words), telling(own)) }))
    .sort((a, b) => b.likeness - a.likeness || (a.example.hash < b.example.hash ? -1 : 1))
    .map(({ example }) => ({ example, text: textFor(example) }))
    .filter(({ text }) => text.length <= LONGEST);
  const queues = [ranked.filter(isFailing), ranked.filter((one) => !isFailing(one))];
  const chosen: ShownExample[] = [];
  let left = room;
  for (let turn = 0; chosen.length < MOST && queues.some(({ length }) => length > 0); turn += 1) {
    const next = queues[turn % queues.length]?.shift();
    if (!next || next.text.length > left) continue;
    left -= next.text.length;
    chosen.push(next);
  }
  return chosen;
}

function isFailing({ example: { verdicts } }: ShownExample): boolean {
  return verdicts.some(({ status }) => status === 'fail');
}

/** Share of the words of both that are in both, 0..1. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / Math.max(1, a.size + b.size - shared);
}

/** Those that more than half of the conversations have. */
function wordsOfMost(all: readonly ReadonlySet<string>[]): Set<string> {
  const counts = new Map<string, number>();
  for (const word of all.flatMap((words) => [...words])) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const most = [...counts].filter(([, count]) => count > all.length / 2);
  return new Set(most.map(([word]) => word));
}

function without(left: ReadonlySet<string>) {
  return (words: ReadonlySet<string>) => new Set([...words].filter((word) => !left.has(word)));
}

function wordsOf(conversation: Conversation): Set<string> {
  const text = turnsOf(conversation).map(textOf).join(' ');
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

/** The same where the same script was said to an agent once more. */
function userWords(conversation: Conversation): string {
  const turns = turnsOf(conversation).filter(({ side }) => side === 'user');
  return JSON.stringify(turns.map(textOf));
}
