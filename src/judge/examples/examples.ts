import type { AssertionInput, CaseFacts, Outcome, Question } from '../../assertions/contract.ts';
import { expectationsText } from '../../assertions/shared/promptVariables.ts';
import { type Conversation, textOf, turnsOf } from '../../core/conversation.ts';
import type { Example, ExamplesFor } from '../../core/record/label.ts';
import { fence } from '../../core/text/visibleText.ts';
import { canonicalJson, conversationHash } from '../../node/hashes.ts';
import { recordedFacts } from '../inputs.ts';
import { readingOptionsOf } from '../parts.ts';
import { examplesText, exampleText, meaningOf, verdictWordsOf } from './examplesText.ts';

/** Maximum total characters in a question's examples. */
const MAX_TOTAL_LENGTH = 24_000;

export interface UsedExample {
  readonly case: string;
  readonly variant?: string;
  /** By `conversationHash`. */
  readonly conversation: string;
}

type Ask = (input: AssertionInput) => Question<unknown, unknown> | Outcome;

/** The examples for a question; undefined if its assertion has none. @param ask creates the question for an input */
export async function examplesForQuestion(
  input: AssertionInput,
  asked: Question<unknown, unknown>,
  ask: Ask,
  examplesFor: ExamplesFor | undefined,
) {
  const { assertion, conversation } = input;
  if (assertion.examples === undefined) return undefined;
  const { maxInputTokens = MAX_TOTAL_LENGTH } = readingOptionsOf(assertion);
  const candidates = (await examplesFor?.(assertion)) ?? [];
  const isAsked = (facts: CaseFacts) =>
    instructionsOf(ask, { ...input, facts }) === asked.instructions;
  const words = verdictWordsOf(asked, assertion.threshold);
  const textFor = (example: Example) =>
    exampleText(example, words, differingFacts(input, example, isAsked));
  // A quarter of the judge's window, at four characters per token.
  const room = Math.min(MAX_TOTAL_LENGTH, maxInputTokens);
  const shown = chooseExamples(conversation, candidates, textFor, room);
  const meaning = meaningOf(asked, assertion.threshold);
  return {
    used: shown.map(({ example: { case: id, variant, hash } }): UsedExample => {
      return { case: id, ...(variant !== undefined && { variant }), conversation: hash };
    }),
    before<Asked extends Question<unknown, unknown>>(question: Asked): Asked {
      if (shown.length === 0) return question;
      const texts = shown.map(({ text }) => text);
      const before = examplesText(texts, meaning);
      return { ...question, instructions: `${before}\n\n${question.instructions}` };
    },
  };
}

function instructionsOf(ask: Ask, input: AssertionInput): string | undefined {
  try {
    const asked = ask(input);
    return 'kind' in asked ? undefined : asked.instructions;
  } catch {
    return undefined;
  }
}

/** Maximum number of examples; more would cost more than they help. */
const MAX_EXAMPLES = 4;

/** Maximum characters per example; longer examples aren't shown. */
const MAX_EXAMPLE_LENGTH = 8_000;

/** Conversations that share more than this part of their words count as the same. */
const MAX_SIMILARITY = 0.8;

interface ShownExample {
  readonly example: Example;
  readonly text: string;
}

/**
 * The examples for a conversation, alternating between examples that people failed and examples that they passed.
 * Within each group, it prefers those that share the most words with the conversation; ties are broken by hash. Words
 * that most candidates contain don't count. Excludes the conversation itself, and conversations that are too similar to
 * it.
 *
 * @param room maximum total characters of the examples
 */
export function chooseExamples(
  judged: Conversation,
  candidates: readonly Example[],
  textFor: (example: Example) => string,
  room: number,
): ShownExample[] {
  const hash = conversationHash(judged);
  const words = wordSetOf(judged);
  const user = userText(judged);
  const isOther = (one: Example) => one.hash !== hash && userText(one.conversation) !== user;
  const known = candidates.map((example) => ({ example, own: wordSetOf(example.conversation) }));
  const common = commonWords(known.map(({ own }) => own));
  const telling = (all: ReadonlySet<string>) => new Set([...all].filter((one) => !common.has(one)));
  const ranked = known
    .filter(({ example, own }) => isOther(example) && similarity(words, own) <= MAX_SIMILARITY)
    .map(({ example, own }) => ({ example, likeness: similarity(telling(words), telling(own)) }))
    .sort((a, b) => b.likeness - a.likeness || (a.example.hash < b.example.hash ? -1 : 1))
    .map(({ example }) => ({ example, text: textFor(example) }))
    .filter(({ text }) => text.length <= MAX_EXAMPLE_LENGTH);
  const queues = [ranked.filter(isFailing), ranked.filter((one) => !isFailing(one))];
  const chosen: ShownExample[] = [];
  let left = room;
  for (let turn = 0; chosen.length < MAX_EXAMPLES && queues.some(([next]) => next); turn += 1) {
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

/** Jaccard similarity, 0..1. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / Math.max(1, a.size + b.size - shared);
}

function commonWords(all: readonly ReadonlySet<string>[]): Set<string> {
  const counts = new Map<string, number>();
  for (const word of all.flatMap((words) => [...words])) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const most = [...counts].filter(([, count]) => count > all.length / 2);
  return new Set(most.map(([word]) => word));
}

function wordSetOf(conversation: Conversation): Set<string> {
  const text = turnsOf(conversation).map(textOf).join(' ');
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

/** The user's text, which is the same in conversations with the same script. */
function userText(conversation: Conversation): string {
  const turns = turnsOf(conversation).filter(({ side }) => side === 'user');
  return JSON.stringify(turns.map(textOf));
}

/** Each fact as a judge sees it; empty if there is none. */
const TEXTS = {
  role: ({ role = '' }: CaseFacts) => role,
  topics: ({ topics }: CaseFacts) => topics.join('\n'),
  tools: ({ tools }: CaseFacts) => (tools.length === 0 ? '' : JSON.stringify(tools, null, 1)),
  expectations: expectationsText,
  context: ({ context }: CaseFacts) =>
    Object.keys(context).length === 0 ? '' : JSON.stringify(context, null, 1),
};

/**
 * The facts in an example's case that would change the question.
 *
 * @param isAsked returns whether the question stays the same with these facts
 */
function differingFacts(
  { facts: here }: AssertionInput,
  { case: id, facts }: Example,
  isAsked: (facts: CaseFacts) => boolean,
): string[] {
  const there = recordedFacts(id, facts);
  return (Object.keys(TEXTS) as (keyof typeof TEXTS)[]).flatMap((name) => {
    if (canonicalJson(here[name]) === canonicalJson(there[name])) return [];
    const { [name]: _, ...others } = here;
    if (isAsked({ ...others, [name]: there[name] } as CaseFacts)) return [];
    const text = TEXTS[name](there);
    return text === ''
      ? [`[facts of this example's case: no ${name}]`]
      : [`[facts of this example's case: ${name}]`, fence(text)];
  });
}
