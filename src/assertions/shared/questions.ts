import * as z from 'zod';
import { remembered } from '../../core/data/data.ts';
import { type Scale, shareOn } from '../../core/scoring.ts';
import { fence } from '../../core/text/visibleText.ts';
import type {
  AssertionInput,
  Finding,
  JudgedType,
  Mistake,
  Outcome,
  Question,
  TypeDocs,
} from '../contract.ts';
import { extremeMistakes, rangeMistake } from './answerMistakes.ts';
import {
  entriesOnly,
  fromVerdictEntries,
  hitsAndMisses,
  meanOfTurns,
  notApplicable,
  questionName,
  rationaleSchema,
  type VerdictEntry,
  verdictEntrySchema,
  withWhole,
} from './entries.ts';
import { expectationsText } from './promptVariables.ts';

type Usual = 'params' | 'defaultThreshold' | 'side';

/** A judged type; without keys of its own, passing from half on and about the assistant unless it says so. */
export function judgedType(
  type: Omit<JudgedType, 'kind' | Usual> & Partial<Pick<JudgedType, Usual>>,
): JudgedType {
  return {
    kind: 'judged',
    params: z.strictObject({}),
    defaultThreshold: 0.5,
    side: 'assistant',
    ...type,
  };
}

/**
 * A question about the whole conversation, behind what the case says of it. That comes first and is
 * the same for all types, so that a prompt cache serves it.
 */
export function withCase({ facts }: AssertionInput, question: string): string {
  const { role, tools, expectations, context } = facts;
  const parts = [
    ...(role === undefined ? [] : [`The role:\n${fence(role)}`]),
    ...(tools.length === 0
      ? []
      : [`The assistant's tools:\n${fence(tools.map(({ name }) => name).join(', '))}`]),
    ...(Object.keys(expectations).length === 0
      ? []
      : [`Expected:\n${fence(expectationsText(facts))}`]),
    ...(Object.keys(context).length === 0
      ? []
      : [`Context:\n${fence(JSON.stringify(context, null, 1))}`]),
  ];
  return parts.length === 0 ? question : ['The case says:', ...parts, '', question].join('\n');
}

/** How finely a user's wishes are told apart; follows what they are called. */
export const ONE_BY_ONE = `Things that could be delivered separately are separate. Details that come later belong to what they
complete; extending something already delivered is a new one; asking again adds none. What the user takes back or replaces does
not count, nor do greetings and thanks.`;

/** What is delivered, and what is not; follows what else counts. */
export const DELIVERED = `A short answer is enough if it is right. An answer that is wrong, contradicts itself, or restates the
question delivers nothing, and neither does a promise. Details that nobody asked for leave a gap in what they accompany if they
are wrong or unsupported: that is no small flaw.`;

/** What a claim is, and when it does not hold. */
export const CLAIMS = `A claim is a statement that could be true or false on its own; an added detail ("tomorrow, before noon") is a
claim of its own, and repeating one within a turn adds none. Advice and figures are claims. Greetings, offers, questions, "I have
no information", and stock caveats ("consult a professional") are not. A claim that overstates does not hold, also if it drops a
"may" or a condition on whom or when it is true for. A plain inference holds, and so does a shorter wording that claims no more, or
a true statement that something is not in the context. Context about another case supports nothing.`;

/** How arguments are counted, and which turns should have called; follows `selection`. */
export const CALL_SCALES = `\`arguments\`: null if it calls nothing, else three counts over the arguments of its calls, without those of
  needless calls: how many are \`given\`; how many of these are \`right\`, by what the user had said and what earlier results
  show (an invented value is not); and how many needed ones are \`missing\`.
A wrong argument counts only there, and correcting it is not a missing call. A turn that should have retried or followed up, and
did not, is one that should have called.`;

const answerSchema = z.object({ turns: z.array(verdictEntrySchema), rationale: rationaleSchema });

type Answer = z.infer<typeof answerSchema>;

/**
 * A question that is answered by a pass or a fail for each judged turn.
 * Score: turns that pass ÷ applicable turns.
 */
export function perTurnQuestion(
  name: string,
  instructions: string,
  { turns }: AssertionInput,
): Question<Answer> {
  return {
    name,
    instructions,
    turns,
    answer: answerSchema,
    parts: entriesOnly(),
    conclude(answer) {
      const verdicts = fromVerdictEntries(answer.turns, turns);
      const score = meanOfTurns(verdicts);
      if (score === undefined) {
        return notApplicable('not-applicable', answer.rationale, verdicts);
      }
      return {
        kind: 'scored',
        score,
        label: score === 1 ? 'yes' : 'no',
        rationale: answer.rationale,
        turns: verdicts,
        ...hitsAndMisses(verdicts),
        details: {},
      };
    },
  };
}

interface Listing<Item extends z.ZodObject> {
  /** The name of the answer's schema. */
  readonly name: string;
  readonly instructions: string;
  /** The key of the list in the answer, and of the details: `intentions`. */
  readonly key: string;
  readonly item: Item;
  /** @param number of the item in the list, from 1 */
  mistakes(item: z.infer<Item>, number: number): Mistake[];
  /** Where an item and a turn contradict each other. */
  turnMistakes?(items: readonly z.infer<Item>[], turns: readonly VerdictEntry[]): Mistake[];
  /** Said if nothing is listed: `The user had no goal.` */
  readonly none: string;
  /** @param items at least one */
  conclude(items: readonly z.infer<Item>[]): Pick<Finding, 'score' | 'hits' | 'misses'> & {
    readonly details: readonly unknown[];
  };
}

/** Of each kind of item: a schema takes much longer to make than an answer to check. */
const made = new WeakMap<z.ZodObject, ReturnType<typeof makeAnswer>>();

function listAnswerOf(key: string, item: z.ZodObject): ReturnType<typeof makeAnswer> {
  const known = made.get(item) ?? makeAnswer(key, item);
  made.set(item, known);
  return known;
}

function makeAnswer(key: string, item: z.ZodObject) {
  const answer = z.object({
    ...Object.fromEntries([[key, z.array(item)]]),
    turns: z.array(verdictEntrySchema),
    rationale: rationaleSchema,
  });
  return { answer, parts: withWhole(answer) };
}

/**
 * A question that lists something of the conversation as a whole, and then passes or fails each turn.
 * The label is `yes` if nothing is missed.
 */
export function listQuestion<Item extends z.ZodObject>(
  { turns }: AssertionInput,
  listing: Listing<Item>,
): Question<unknown> {
  const { name, instructions, key, item, none } = listing;
  const { answer, parts } = listAnswerOf(key, item);
  type Answer = z.infer<typeof answer>;
  const listed = (given: Answer) => Reflect.get(given, key) as z.infer<Item>[];
  const question: Question<Answer> = {
    name,
    instructions,
    turns,
    answer,
    parts,
    mistakes: (given) => [
      ...listed(given).flatMap((one, index) => listing.mistakes(one, index + 1)),
      ...(listing.turnMistakes?.(listed(given), given.turns) ?? []),
    ],
    conclude(given) {
      const { rationale } = given;
      const verdicts = fromVerdictEntries(given.turns, turns);
      const items = listed(given);
      if (items.length === 0) return notApplicable(`no-${key}`, `${none} ${rationale}`, verdicts);
      const { score, hits, misses, details } = listing.conclude(items);
      return {
        kind: 'scored',
        score,
        label: misses.length === 0 ? 'yes' : 'no',
        rationale,
        turns: verdicts,
        hits,
        misses,
        details: { [key]: details },
      };
    },
  };
  return question as Question<unknown>;
}

/** One to five. */
const LIKERT: Scale = [1, 5];

interface Likert {
  readonly type: string;
  readonly summary: string;
  readonly docs: TypeDocs;
  readonly instructions: string;
  /** Aspects that are rated on the same scale, for the details. */
  readonly aspects?: readonly string[];
  /** Named where the judge may say that the question does not apply: why. */
  readonly exception?: string;
}

/**
 * A type that asks for a value from 1 to 5 for the whole, and a pass or fail for each turn.
 * Score: (value − 1) ÷ 4.
 */
export function likertType(likert: Likert): JudgedType {
  const { type, summary, docs } = likert;
  return judgedType({
    type,
    summary,
    like: 'Azure',
    docs,
    scale: LIKERT,
    readsContext: true,
    question: (input) => likertQuestion(likert, input),
  });
}

/** A schema takes much longer to make than an answer to check. */
const answerOf = remembered(({ aspects = [], exception }: Likert) => {
  const answer = z.object({
    turns: z.array(verdictEntrySchema),
    rationale: rationaleSchema,
    ...(exception !== undefined && { [exception]: z.boolean() }),
    ...Object.fromEntries(aspects.map((aspect) => [aspect, z.number()])),
    value: z.number(),
  });
  return { answer, parts: withWhole(answer) };
});

function likertQuestion(likert: Likert, input: AssertionInput): Question<Record<string, unknown>> {
  const { type, instructions, aspects = [], exception } = likert;
  const { turns } = input;
  const { answer, parts } = answerOf(likert);
  type Answer = z.infer<typeof answer>;
  const rated = [...aspects, 'value'];
  const question: Question<Answer> = {
    name: questionName(type),
    instructions: withCase(input, `${instructions}\n\n${ratings(rated)}`),
    turns,
    answer,
    mistakes: (given) => [
      ...rated.flatMap((key) => ratingMistakes(key, Reflect.get(given, key))),
      ...extremeMistakes(given.turns, given.value, LIKERT, '`value`'),
    ],
    parts,
    conclude(given): Outcome {
      const verdicts = fromVerdictEntries(given.turns, turns);
      if (exception !== undefined && Reflect.get(given, exception) === true) {
        return notApplicable(exception.replaceAll('_', '-'), given.rationale, verdicts);
      }
      return {
        kind: 'scored',
        score: shareOn(LIKERT, given.value),
        value: given.value,
        scale: LIKERT,
        rationale: given.rationale,
        turns: verdicts,
        ...hitsAndMisses(verdicts),
        details: Object.fromEntries(aspects.map((key) => [key, Reflect.get(given, key)])),
      };
    },
  };
  return question as Question<Record<string, unknown>>;
}

function ratings(keys: readonly string[]): string {
  return `${keys.map((key) => `\`${key}\``).join(', ')}: whole numbers from 1 to 5.`;
}

function ratingMistakes(key: string, value: number): Mistake[] {
  const outside = rangeMistake(value, LIKERT, `\`${key}\``);
  if (outside.length > 0 || Number.isInteger(value)) return outside;
  return [{ reason: 'out-of-range', text: `\`${key}\` is ${value}; it must be a whole number.` }];
}
