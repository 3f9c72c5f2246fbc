import type { AssertionInput, CaseFacts, Outcome, Question } from '../../assertions/contract.ts';
import { expectationsText } from '../../assertions/shared/promptVariables.ts';
import { type Conversation, textOf, turnsOf } from '../../core/conversation.ts';
import type { Example, ExamplesFor } from '../../core/record/label.ts';
import { fence } from '../../core/text/visibleText.ts';
import { canonicalJson, conversationHash } from '../../node/hashes.ts';
import { readingOptionsOf } from '../parts.ts';
import { examplesText, exampleText, meaningOf, verdictWordsOf } from './examplesText.ts';

/** Characters that all examples of a question may take. */
const MAX_TOTAL_LENGTH = 24_000;

/** What a verdict's details keep of an example. */
export interface UsedExample {
  readonly case: string;
  readonly variant?: string;
  /** By `conversationHash`. */
  readonly conversation: string;
}

interface Examples {
  /** In the order in which they are shown. */
  readonly used: readonly UsedExample[];
  /** Puts them before a question. */
  before<Asked extends Question<unknown, unknown>>(question: Asked): Asked;
}

interface Asking {
  readonly inputs: readonly [AssertionInput, ...AssertionInput[]];
  readonly question: Question<unknown, unknown>;
}

type Ask = (input: AssertionInput) => Question<unknown, unknown> | Outcome;

/**
 * The examples for a question; undefined where its assertion asks for none.
 *
 * @param ask the question about an input
 */
export async function examplesForQuestion(
  { inputs: [input], question: asked }: Asking,
  ask: Ask,
  examplesFor: ExamplesFor | undefined,
): Promise<Examples | undefined> {
  const { assertion, conversation } = input;
  if (assertion.examples === undefined) return undefined;
  const { maxInputTokens = MAX_TOTAL_LENGTH } = readingOptionsOf(assertion);
  const candidates = (await examplesFor?.(assertion)) ?? [];
  const isAsked = (facts: CaseFacts) =>
    instructionsOf(ask, { ...input, facts }) === asked.instructions;
  const words = verdictWordsOf(asked, assertion.threshold);
  const textFor = (example: Example) =>
    exampleText(example, words, differingFacts(input, example, isAsked));
  // A quarter of the judge's window, at four characters a token.
  const room = Math.min(MAX_TOTAL_LENGTH, maxInputTokens);
  const shown = chooseExamples(conversation, candidates, textFor, room);
  const meaning = meaningOf(asked, assertion.threshold);
  return {
    used: shown.map(usedOf),
    before(question) {
      if (shown.length === 0) return question;
      const texts = examplesText(
        shown.map(({ text }) => text),
        meaning,
      );
      return { ...question, instructions: `${texts}\n\n${question.instructions}` };
    },
  };
}

function usedOf({ example: { case: id, variant, hash } }: ShownExample): UsedExample {
  return { case: id, ...(variant !== undefined && { variant }), conversation: hash };
}

/** Undefined where nothing is asked. */
function instructionsOf(ask: Ask, input: AssertionInput): string | undefined {
  try {
    const asked = ask(input);
    return 'kind' in asked ? undefined : asked.instructions;
  } catch {
    return undefined;
  }
}

/** More of them cost more than they teach. */
const MAX_EXAMPLES = 4;

/** Characters that one may take. A longer one is not shown at all: nothing is cut. */
const MAX_EXAMPLE_LENGTH = 8_000;

/** Conversations that share more of their words are taken for the same one. */
const MAX_SIMILARITY = 0.8;

interface ShownExample {
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
  const words = wordSetOf(judged);
  const user = userWords(judged);
  const isOther = (one: Example) => one.hash !== hash && userWords(one.conversation) !== user;
  const known = candidates.map((example) => ({ example, own: wordSetOf(example.conversation) }));
  const telling = without(commonWords(known.map(({ own }) => own)));
  const ranked = known
    .filter(({ example, own }) => isOther(example) && similarity(words, own) <= MAX_SIMILARITY)
    .map(({ example, own }) => ({ example, likeness: similarity(telling(words), telling(own)) }))
    .sort((a, b) => b.likeness - a.likeness || (a.example.hash < b.example.hash ? -1 : 1))
    .map(({ example }) => ({ example, text: textFor(example) }))
    .filter(({ text }) => text.length <= MAX_EXAMPLE_LENGTH);
  const queues = [ranked.filter(isFailing), ranked.filter((one) => !isFailing(one))];
  const chosen: ShownExample[] = [];
  let left = room;
  for (
    let turn = 0;
    chosen.length < MAX_EXAMPLES && queues.some(({ length }) => length > 0);
    turn += 1
  ) {
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
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / Math.max(1, a.size + b.size - shared);
}

/** Those that more than half of the conversations have. */
function commonWords(all: readonly ReadonlySet<string>[]): Set<string> {
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

function wordSetOf(conversation: Conversation): Set<string> {
  const text = turnsOf(conversation).map(textOf).join(' ');
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

/** The same where the same script was said to an agent once more. */
function userWords(conversation: Conversation): string {
  const turns = turnsOf(conversation).filter(({ side }) => side === 'user');
  return JSON.stringify(turns.map(textOf));
}

/** As a judge reads them; empty where there is none. */
const TEXTS = {
  role: ({ role = '' }: CaseFacts) => role,
  topics: ({ topics }: CaseFacts) => topics.join('\n'),
  tools: ({ tools }: CaseFacts) => (tools.length === 0 ? '' : JSON.stringify(tools, null, 1)),
  expectations: expectationsText,
  context: ({ context }: CaseFacts) =>
    Object.keys(context).length === 0 ? '' : JSON.stringify(context, null, 1),
};

/**
 * The facts of an example's case that are others than those of the case to judge, where that makes it another question.
 *
 * @param isAsked whether the question is the same with these facts
 */
function differingFacts(
  { facts: here }: AssertionInput,
  { case: id, facts }: Example,
  isAsked: (facts: CaseFacts) => boolean,
): string[] {
  const { role, ...rest } = facts;
  const there: CaseFacts = { id, ...rest, ...(role !== undefined && { role }) };
  return (['role', 'topics', 'tools', 'expectations', 'context'] as const).flatMap((name) => {
    if (canonicalJson(here[name]) === canonicalJson(there[name])) return [];
    const { [name]: _, ...others } = here;
    if (isAsked({ ...others, [name]: there[name] } as CaseFacts)) return [];
    const text = TEXTS[name](there);
    return text === ''
      ? [`[facts of this example's case: no ${name}]`]
      : [`[facts of this example's case: ${name}]`, fence(text)];
  });
}
