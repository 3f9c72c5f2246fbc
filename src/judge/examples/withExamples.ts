import type { AssertionInput, JudgedType, Outcome, Question } from '../../assertions/contract.ts';
import { turnsOf } from '../../core/conversation.ts';
import type { Example, ExamplesFor } from '../../core/record/example.ts';
import { readingOf } from '../parts.ts';
import { chooseExamples, type ShownExample } from './chooseExamples.ts';
import { examplesText, exampleText } from './examplesText.ts';

/** Characters that all examples of a question may take. */
const ROOM = 24_000;

/** What a verdict's details keep of an example. */
export interface UsedExample {
  readonly case: string;
  readonly variant?: string;
  /** By `conversationHash`. */
  readonly conversation: string;
}

export interface Examples {
  /** In the order in which they are shown. */
  readonly used: readonly UsedExample[];
  /** Puts them before a question. */
  before<Asked extends Question<unknown, unknown>>(question: Asked): Asked;
}

type Ask = (input: AssertionInput) => Question<unknown, unknown> | Outcome;

/**
 * The examples for a question; undefined where its assertion asks for none.
 *
 * @param ask the question about an input
 */
export async function examplesBefore(
  input: AssertionInput,
  ask: Ask,
  side: JudgedType['side'],
  examplesFor: ExamplesFor | undefined,
): Promise<Examples | undefined> {
  const { assertion, conversation } = input;
  if (assertion.examples === undefined) return undefined;
  const { maxInputTokens = ROOM } = readingOf(assertion);
  const candidates = (await examplesFor?.(assertion)) ?? [];
  const textFor = (example: Example) => exampleText(example, askedThere(input, example, ask, side));
  // A quarter of the judge's window, at four characters a token.
  const room = Math.min(ROOM, maxInputTokens);
  const shown = chooseExamples(conversation, candidates, textFor, room);
  return {
    used: shown.map(usedOf),
    before(question) {
      if (shown.length === 0) return question;
      const texts = examplesText(shown.map(({ text }) => text));
      return { ...question, instructions: `${texts}\n\n${question.instructions}` };
    },
  };
}

function usedOf({ example: { case: id, variant, hash } }: ShownExample): UsedExample {
  return { case: id, ...(variant !== undefined && { variant }), conversation: hash };
}

/** The question as it was put there; undefined where the facts of the cases make no difference to it. */
function askedThere(
  input: AssertionInput,
  { case: id, conversation, facts }: Example,
  ask: Ask,
  side: JudgedType['side'],
): string | undefined {
  const turns = turnsOf(conversation).filter((turn) => side === 'both' || turn.side === side);
  const { role, ...rest } = facts;
  const factsThere = { id, ...rest, ...(role !== undefined && { role }) };
  const there = wordsOf(ask, { ...input, conversation, turns, facts: factsThere });
  return there === wordsOf(ask, { ...input, conversation, turns }) ? undefined : there;
}

/** Undefined where nothing is asked. */
function wordsOf(ask: Ask, input: AssertionInput): string | undefined {
  try {
    const asked = ask(input);
    return 'kind' in asked ? undefined : asked.instructions;
  } catch {
    return undefined;
  }
}
