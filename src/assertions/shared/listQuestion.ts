import * as z from 'zod';
import type { AssertionInput, Finding, Mistake, Question } from '../contract.ts';
import {
  fromVerdictEntries,
  notApplicable,
  rationaleSchema,
  type VerdictEntry,
  verdictEntrySchema,
  withWhole,
} from './entries.ts';

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

function answerOf(key: string, item: z.ZodObject): ReturnType<typeof makeAnswer> {
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
  const { answer, parts } = answerOf(key, item);
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
