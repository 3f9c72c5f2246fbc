import * as z from 'zod';
import { type Turn, textOf, turnsOf } from '../../core/conversation.ts';
import { capitalized } from '../../core/text/format.ts';
import type { TurnVerdict, Usage } from '../../core/verdict.ts';
import { stepsOf } from '../../node/cooperative.ts';
import type {
  AssertionInput,
  DeterministicType,
  Finding,
  Outcome,
  TypeDocs,
  TypeInfo,
} from '../contract.ts';
import {
  allOrNothing,
  citing,
  decidedTurn,
  hitsAndMisses,
  notApplicable,
  scored,
  turnsText,
} from './entries.ts';
import { deterministicType } from './kinds.ts';
import { limitWork } from './timeLimit.ts';

export interface TurnFinding {
  /** Undefined if unknown. */
  readonly holds: boolean | undefined;
  /** The text that follows `Turn 4: `. */
  readonly rationale: string;
}

/** Returns the words that follow `Turn 4`: `is JSON` or `is not JSON`. */
type Claim = (found: boolean) => string;

interface Wording {
  readonly claim: Claim;
  /** A stable kebab-case reason and a sentence, for use if no turn has a known result. */
  readonly undecided?: { readonly reason: string; readonly rationale: string };
}

const NO_TEXT = { reason: 'no-turns', rationale: 'The turns have no text.' };

/**
 * Checks each chosen turn, regardless of `at`. Score: turns that pass (or, if negated, fail) the check ÷ turns with a
 * known result.
 */
export async function checkTurns(
  { turns, assertion: { negate } }: AssertionInput,
  checkTurn: (turn: Turn) => TurnFinding | Promise<TurnFinding>,
  { claim, undecided = NO_TEXT }: Wording,
  details: Readonly<Record<string, unknown>> = {},
): Promise<Outcome> {
  const step = stepsOf();
  const entries: TurnVerdict[] = [];
  for (const turn of turns) {
    const { holds, rationale } = await checkTurn(turn);
    entries.push(
      holds === undefined
        ? { turn: turn.number, status: 'skipped', score: null, rationale }
        : decidedTurn(turn.number, holds !== negate, rationale),
    );
    await step();
  }
  const decided = entries.filter(({ status }) => status !== 'skipped').length;
  if (decided === 0) return notApplicable(undecided.reason, undecided.rationale, entries);
  const { hits } = hitsAndMisses(entries);
  const rationale = `${capitalized(claim(!negate))}: ${hits.length} of ${decided} turns.`;
  return scored(rationale, entries, { score: hits.length / decided, details });
}

interface TextAssertion<Params extends z.ZodObject> extends TypeInfo {
  readonly params: Params;
  readonly findsInPart?: boolean;
  claim(params: z.infer<Params>, found: boolean): string;
  holds(text: string, params: z.infer<Params>): boolean;
}

export const ignoreCase = z
  .boolean()
  .default(false)
  .meta({ description: 'If true, ignore differences between upper and lower case.' });

/**
 * An assertion type about the assistant's text. With `at: each`, it checks each chosen turn separately, and the score
 * is the share of turns that pass; otherwise, it checks their combined text. `negate` inverts the check.
 */
export function textAssertion<Params extends z.ZodObject>({
  claim: claimOf,
  holds: holdsFor,
  ...type
}: TextAssertion<Params>): DeterministicType {
  return deterministicType({
    ...type,
    check(input, params) {
      const claim = (found: boolean) => claimOf(params, found);
      const limited = limitWork(
        'Use a simpler pattern, use fewer or shorter values, or choose fewer turns with `at`.',
      );
      const size = JSON.stringify(params).length;
      const holds = (text: string) => limited(text.length * size, () => holdsFor(text, params));
      if (input.assertion.at.kind !== 'each') return checkJoined(input, claim, holds);
      const checkTurn = (turn: Turn) => {
        const found = holds(textOf(turn));
        return { holds: found, rationale: claim(found) };
      };
      return checkTurns(input, checkTurn, { claim });
    },
  });
}

function checkJoined(
  { turns, assertion: { negate } }: AssertionInput,
  claim: Claim,
  holds: (text: string) => boolean,
): Finding {
  const found = holds(turns.map(textOf).join('\n\n'));
  const passed = found !== negate;
  // If several turns lack something together, no single turn is to blame.
  const shown = turns.length === 1 ? turns : turns.filter((turn) => found && holds(textOf(turn)));
  const entries = shown.map(({ number }) => decidedTurn(number, passed, claim(found)));
  const summary = `${turnsText(turns)}: ${claim(found)}`;
  const cited = entries.map(({ turn, rationale }) => citing(turn, rationale));
  return scored(`${summary}.`, entries, allOrNothing(passed, cited.length > 0 ? cited : [summary]));
}

interface Comparison<Wanted> extends TypeInfo {
  /** Words between `Turn 4` and the wanted text: if the check passes, and if it doesn't. */
  readonly says: readonly [yes: string, no: string];
  /** Compares text with the wanted text. Both are in Unicode form NFC, and in lowercase if case is ignored. */
  holds(text: string, wanted: Wanted): boolean;
}

/** Makes strings that look the same equal: `é` can be one character or two. */
function normalized(text: string, ignoresCase: boolean): string {
  return (ignoresCase ? text.toLowerCase() : text).normalize('NFC');
}

function documented(docs: TypeDocs): TypeDocs {
  return {
    ...docs,
    more: 'Texts are compared in Unicode form NFC: `é` is the same as `e` with a combining accent.',
  };
}

const VALUE = z.string().min(1).meta({ description: 'The text to look for.' });
const VALUES = z.array(z.string().min(1)).min(1).meta({ description: 'The texts to look for.' });

/** An assertion type that compares the assistant's text with one string. */
export function valueAssertion({ says, holds, ...type }: Comparison<string>): DeterministicType {
  return textAssertion({
    ...type,
    findsInPart: true,
    docs: documented(type.docs),
    params: z.strictObject({ value: VALUE, ignore_case: ignoreCase }),
    claim: ({ value }, found) => `${says[found ? 0 : 1]} ${JSON.stringify(value)}`,
    holds: (text, { value, ignore_case }) =>
      holds(normalized(text, ignore_case), normalized(value, ignore_case)),
  });
}

/** An assertion type that compares the assistant's text with several strings. */
export function valuesAssertion({
  says,
  holds,
  ...type
}: Comparison<readonly string[]>): DeterministicType {
  return textAssertion({
    ...type,
    findsInPart: true,
    docs: documented(type.docs),
    params: z.strictObject({ values: VALUES, ignore_case: ignoreCase }),
    claim: ({ values }, found) => `${says[found ? 0 : 1]} ${JSON.stringify(values)}`,
    holds: (text, { values, ignore_case }) =>
      holds(
        normalized(text, ignore_case),
        values.map((value) => normalized(value, ignore_case)),
      ),
  });
}

/**
 * A limit on the target's usage.
 *
 * @param read returns undefined if it was not measured
 * @throws Error if it was not measured: an unknown value never passes
 */
export function usageLimit(
  { conversation, targetUsage, assertion: { negate } }: AssertionInput,
  what: string,
  max: number,
  read: (usage: Usage) => number | undefined,
  remedy: string,
): Finding {
  const used = targetUsage && read(targetUsage);
  if (used === undefined) throw new Error(`The target's ${what} was not measured. ${remedy}`);
  const found = citing(
    turnsOf(conversation).length,
    `the ${what} up to this turn is ${used}; the limit is ${max}`,
  );
  return scored(`The target's ${what} is ${used}; the limit is ${max}.`, [], {
    ...allOrNothing(used <= max !== negate, [found]),
    value: used,
    details: { used, max },
  });
}

let segmenter: Intl.Segmenter | undefined;

/** Number of words and separators to process between pauses. */
const STRIDE = 1_000;

/** The words in a text. Pauses to let other work run. */
export async function* wordsOf(text: string): AsyncGenerator<string> {
  // Chinese, Japanese and Thai words have no spaces between them.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  const step = stepsOf();
  let count = 0;
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    count += 1;
    if (count % STRIDE === 0) await step();
    if (isWordLike) yield segment;
  }
}
