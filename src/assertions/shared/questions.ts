import * as z from 'zod';
import { type Scale, shareOnScale } from '../../core/scoring.ts';
import { fence } from '../../core/text/visibleText.ts';
import type { AssertionInput, Finding, JudgedType, Mistake, TypeDocs } from '../contract.ts';
import { extremeMistakes, rangeMistake, wholeMistakes } from './answerMistakes.ts';
import {
  entriesOnly,
  fromVerdictEntries,
  meanOfTurns,
  notApplicable,
  rationaleSchema,
  scored,
  turnsAnswer,
  type VerdictEntry,
  verdictEntrySchema,
  verdictSchema,
  withWhole,
} from './entries.ts';
import { judgedType, type OwnQuestion } from './kinds.ts';
import { expectationsText } from './promptVariables.ts';

/**
 * A question about the whole conversation, after what the case says about it: that part is the same
 * for all types, so that a prompt cache serves it.
 */
export function withFacts({ facts }: AssertionInput, question: string): string {
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

/** How to separate a user's wishes; comes after their name. */
export const ONE_BY_ONE = `Things that could be delivered separately are separate. Details that come later belong to what they
complete; extending something already delivered is a new one; asking again adds none. What the user takes back or replaces does
not count, nor do greetings and thanks.`;

/** What counts as delivered; comes after what else counts. */
export const DELIVERED = `A short answer is enough if it is right. An answer that is wrong, contradicts itself, or restates the
question delivers nothing, and neither does a promise. Details that nobody asked for leave a gap in what they accompany if they
are wrong or unsupported: that is no small flaw.`;

/** What a claim is, and when it doesn't hold. */
export const CLAIMS = `A claim is a statement that could be true or false on its own; an added detail ("tomorrow, before noon") is a
claim of its own, and repeating one within a turn adds none. Advice and figures are claims. Greetings, offers, questions, "I have
no information", and stock caveats ("consult a professional") are not. A claim that overstates does not hold, also if it drops a
"may" or a condition on whom or when it is true for. A plain inference holds, and so does a shorter wording that claims no more, or
a true statement that something is not in the context. Context about another case supports nothing.`;

/** How to count arguments, and which turns should have called; comes after `selection`. */
export const CALL_SCALES = `\`arguments\`: null if it calls nothing, else three counts over the arguments of its calls, without those of
  needless calls: how many are \`given\`; how many of these are \`right\`, by what the user had said and what earlier results
  show (an invented value is not); and how many needed ones are \`missing\`.
A wrong argument counts only there, and correcting it is not a missing call. A turn that should have retried or followed up, and
did not, is one that should have called.`;

const answerSchema = turnsAnswer({ verdict: verdictSchema });

/**
 * A question whose answer is pass or fail for each judged turn.
 * Score: turns that pass ÷ applicable turns.
 */
export function perTurnQuestion(
  instructions: string,
  { turns }: AssertionInput,
): OwnQuestion<z.infer<typeof answerSchema>> {
  return {
    instructions,
    answer: answerSchema,
    parts: entriesOnly(),
    conclude({ turns: entries, rationale }) {
      const verdicts = fromVerdictEntries(entries, turns);
      const score = meanOfTurns(verdicts);
      if (score === undefined) return notApplicable('not-applicable', rationale, verdicts);
      return scored(rationale, verdicts, { score, label: score === 1 ? 'yes' : 'no' });
    },
  };
}

/**
 * The answer to a question that lists items. A type makes it once: making a schema takes much longer
 * than checking an answer.
 *
 * @param key of the list in the answer, and of the details: `intentions`
 */
export function listAnswer<Item>(key: string, item: z.ZodType<Item>) {
  const answer = z.object({
    ...Object.fromEntries([[key, z.array(item)]]),
    turns: z.array(verdictEntrySchema),
    rationale: rationaleSchema,
  });
  const itemsOf = (given: z.infer<typeof answer>) => Reflect.get(given, key) as Item[];
  return { key, answer, parts: withWhole(answer), itemsOf };
}

interface Listing<Item> {
  readonly instructions: string;
  readonly list: ReturnType<typeof listAnswer<Item>>;
  /** @param number of the item in the list, from 1 */
  mistakes(item: Item, number: number): Mistake[];
  /** Contradictions between items and turns. */
  turnMistakes?(items: readonly Item[], turns: readonly VerdictEntry[]): Mistake[];
  /** The rationale if nothing is listed: `The user had no goal.` */
  readonly none: string;
  /** @param items at least one */
  conclude(items: readonly Item[]): Pick<Finding, 'score' | 'hits' | 'misses'> & {
    readonly details: readonly unknown[];
  };
}

/**
 * A question that lists something about the whole conversation, and then passes or fails each turn.
 * The label is `yes` if there are no misses.
 */
export function listQuestion<Item>(
  { turns }: AssertionInput,
  listing: Listing<Item>,
): OwnQuestion<unknown> {
  const { key, answer, parts, itemsOf } = listing.list;
  const question: OwnQuestion<z.infer<typeof answer>> = {
    instructions: listing.instructions,
    answer,
    parts,
    mistakes: (given) => [
      ...itemsOf(given).flatMap((one, index) => listing.mistakes(one, index + 1)),
      ...(listing.turnMistakes?.(itemsOf(given), given.turns) ?? []),
    ],
    conclude(given) {
      const { rationale } = given;
      const verdicts = fromVerdictEntries(given.turns, turns);
      const items = itemsOf(given);
      if (items.length === 0) {
        return notApplicable(`no-${key}`, `${listing.none} ${rationale}`, verdicts);
      }
      const { details, ...found } = listing.conclude(items);
      const label = found.misses.length === 0 ? 'yes' : 'no';
      return scored(rationale, verdicts, { ...found, label, details: { [key]: details } });
    },
  };
  return question;
}

const LIKERT: Scale = [1, 5];

interface Likert {
  readonly type: string;
  readonly summary: string;
  readonly docs: TypeDocs;
  readonly instructions: string;
  /** Aspects to rate on the same scale, for the details. */
  readonly aspects?: readonly string[];
  /** The key by which the judge can say that the question doesn't apply. */
  readonly exception?: string;
}

/**
 * A type that asks for a value from 1 to 5 for the whole, and pass or fail for each turn.
 * Score: (value − 1) ÷ 4.
 */
export function likertType({ instructions, aspects = [], exception, ...type }: Likert): JudgedType {
  const answer = answerSchema.extend({
    ...(exception !== undefined && { [exception]: z.boolean() }),
    ...Object.fromEntries(aspects.map((aspect) => [aspect, z.number()])),
    value: z.number(),
  });
  const parts = withWhole(answer);
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
      parts,
      conclude(given) {
        const { rationale, value } = given;
        const verdicts = fromVerdictEntries(given.turns, input.turns);
        if (exception !== undefined && Reflect.get(given, exception) === true) {
          return notApplicable(exception.replaceAll('_', '-'), rationale, verdicts);
        }
        return scored(rationale, verdicts, {
          score: shareOnScale(LIKERT, value),
          value,
          scale: LIKERT,
          details: Object.fromEntries(aspects.map((key) => [key, Reflect.get(given, key)])),
        });
      },
    }),
  });
}

function ratingMistakes(key: string, value: number): Mistake[] {
  const outside = rangeMistake(value, LIKERT, `\`${key}\``);
  return outside.length > 0 ? outside : wholeMistakes(value, `\`${key}\` is ${value}; it`);
}
