import * as z from 'zod';
import { type Scale, shareOnScale } from '../../core/scoring.ts';
import { fence } from '../../core/text/visibleText.ts';
import type { AssertionInput, JudgedType, Mistake, TypeInfo } from '../contract.ts';
import { extremeMistakes, rangeMistake, wholeMistakes } from './answerMistakes.ts';
import { meanOfTurns, turnsAnswer, verdictSchema } from './entries.ts';
import { judgedType, type OwnQuestion } from './kinds.ts';
import { expectationsText } from './promptVariables.ts';

/** The facts of the case, then a question. The facts come first so that all types share them in a prompt cache. */
export function withFacts({ facts }: AssertionInput, question: string): string {
  const { role, tools, expectations, context } = facts;
  const hasKeys = (given: object) => Object.keys(given).length > 0;
  const parts = [
    role !== undefined && `The role:\n${fence(role)}`,
    hasKeys(tools) && `The assistant's tools:\n${fence(tools.map(({ name }) => name).join(', '))}`,
    hasKeys(expectations) && `Expected:\n${fence(expectationsText(facts))}`,
    hasKeys(context) && `Context:\n${fence(JSON.stringify(context, null, 1))}`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? question : ['The case says:', ...parts, '', question].join('\n');
}

/** How to separate a user's wishes; follows the name for them. */
export const ONE_BY_ONE = `Things that could be delivered separately are separate. Details that come later belong to what they
complete; extending something already delivered is a new one; asking again adds none. What the user takes back or replaces does
not count, nor do greetings and thanks.`;

/** Defines what counts as delivered. */
export const DELIVERED = `A short answer is enough if it is right. An answer that is wrong, contradicts itself, or restates the
question delivers nothing, and neither does a promise. Details that nobody asked for leave a gap in what they accompany if they
are wrong or unsupported: that is no small flaw.`;

/** What a claim is, and when it doesn't hold. */
export const CLAIMS = `A claim is a statement that could be true or false on its own; an added detail ("tomorrow, before noon") is a
claim of its own, and repeating one within a turn adds none. Advice and figures are claims. Greetings, offers, questions, "I have
no information", and stock caveats ("consult a professional") are not. A claim that overstates does not hold, also if it drops a
"may" or a condition on whom or when it is true for. A plain inference holds, and so does a shorter wording that claims no more, or
a true statement that something is not in the context. Context about another case supports nothing.`;

/** How to count arguments, and which turns should have made calls; follows the text about `selection`. */
export const CALL_SCALES = `\`arguments\`: null if it calls nothing, else three counts over the arguments of its calls, without those of
  needless calls: how many are \`given\`; how many of these are \`right\`, by what the user had said and what earlier results
  show (an invented value is not); and how many needed ones are \`missing\`.
A wrong argument counts only there, and correcting it is not a missing call. A turn that should have retried or followed up, and
did not, is one that should have called.`;

const answerSchema = turnsAnswer({ verdict: verdictSchema });

/** A question whose answer is pass or fail for each judged turn. Score: turns that pass ÷ applicable turns. */
export function perTurnQuestion(instructions: string): OwnQuestion<z.infer<typeof answerSchema>> {
  return {
    instructions,
    answer: answerSchema,
    conclude(_answer, turns) {
      const score = meanOfTurns(turns);
      if (score === undefined) return { reason: 'not-applicable' };
      return { score, label: score === 1 ? 'yes' : 'no' };
    },
  };
}

const LIKERT: Scale = [1, 5];

/** For `docs.differences`. */
export const AZURE_RATING =
  "- Azure's score is the rating, from 1 to 5. Here, the rating is `value`, and the score is (value − 1) ÷ 4.";

interface Likert extends TypeInfo {
  readonly instructions: string;
  /** Aspects to rate on the same scale, for the details. */
  readonly aspects?: readonly string[];
  /** The key that lets the judge report that the question doesn't apply. */
  readonly exception?: string;
}

/**
 * A type that asks the judge for an overall value from 1 to 5, and pass or fail for each turn. Score: (value − 1) ÷ 4.
 */
export function likertType({ instructions, aspects = [], exception, ...type }: Likert): JudgedType {
  const answer = answerSchema.extend({
    ...(exception !== undefined && { [exception]: z.boolean() }),
    ...Object.fromEntries(aspects.map((aspect) => [aspect, z.number()])),
    value: z.number(),
  });
  const rated = [...aspects, 'value'];
  const keys = rated.map((key) => `\`${key}\``).join(', ');
  const question = `${instructions}\n\n${keys}: whole numbers from 1 to 5.`;
  return judgedType({
    like: 'Azure',
    ...type,
    scale: LIKERT,
    readsContext: true,
    question: (input): OwnQuestion<z.infer<typeof answer>> => ({
      instructions: withFacts(input, question),
      answer,
      mistakes: (given) => [
        ...rated.flatMap((key) => ratingMistakes(key, Reflect.get(given, key))),
        ...extremeMistakes(given.turns, given.value, LIKERT, '`value`'),
      ],
      conclude(given) {
        if (exception !== undefined && Reflect.get(given, exception) === true) {
          return { reason: exception.replaceAll('_', '-') };
        }
        return {
          score: shareOnScale(LIKERT, given.value),
          value: given.value,
          scale: LIKERT,
          details: Object.fromEntries(aspects.map((key) => [key, Reflect.get(given, key)])),
        };
      },
    }),
  });
}

function ratingMistakes(key: string, value: number): Mistake[] {
  const outside = rangeMistake(value, LIKERT, `\`${key}\``);
  return outside.length > 0 ? outside : wholeMistakes(value, `\`${key}\` is ${value}; it`);
}
