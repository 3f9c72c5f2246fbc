import type { AssertionInput, CaseFacts, Outcome, Question } from '../../assertions/contract.ts';
import type { Example, ExamplesFor } from '../../core/record/label.ts';
import { readingOf } from '../parts.ts';
import { chooseExamples, type ShownExample } from './chooseExamples.ts';
import { examplesText, exampleText } from './examplesText.ts';
import { otherFacts } from './otherFacts.ts';
import { meaningOf, wordsFor } from './verdictWords.ts';

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
export async function examplesBefore(
  { inputs: [input], question: asked }: Asking,
  ask: Ask,
  examplesFor: ExamplesFor | undefined,
): Promise<Examples | undefined> {
  const { assertion, conversation } = input;
  if (assertion.examples === undefined) return undefined;
  const { maxInputTokens = ROOM } = readingOf(assertion);
  const candidates = (await examplesFor?.(assertion)) ?? [];
  const isAsked = (facts: CaseFacts) =>
    instructionsOf(ask, { ...input, facts }) === asked.instructions;
  const words = wordsFor(asked, assertion.threshold);
  const textFor = (example: Example) =>
    exampleText(example, words, otherFacts(input, example, isAsked));
  // A quarter of the judge's window, at four characters a token.
  const room = Math.min(ROOM, maxInputTokens);
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
