import * as z from 'zod';
import { mean, reaches } from '../../../core/scoring.ts';
import type { AssertionInput, Mistake, Outcome, Question } from '../../contract.ts';
import { contradiction } from '../answerMistakes.ts';
import {
  citing,
  entriesOnly,
  entrySchema,
  notApplicable,
  rationaleSchema,
  turnVerdicts,
} from '../entries.ts';

const answerSchema = z.object({
  turns: z.array(
    entrySchema.extend({
      claims: z.array(z.object({ claim: z.string(), holds: z.boolean() })),
    }),
  ),
  rationale: rationaleSchema,
});

type Answer = z.infer<typeof answerSchema>;
type Entry = Answer['turns'][number];

interface Claims {
  readonly name: string;
  readonly instructions: string;
  /** What is counted, in the plural: `claims`, `statements`. */
  readonly what: string;
  /** Said of one that does not hold: `unsupported`. */
  readonly wrong: string;
  /** `turns`: mean over the turns of holding ÷ all. `claims`: holding ÷ all, over all turns. */
  readonly per: 'turns' | 'claims';
  readonly nothing: string;
}

/** Each turn is taken apart into claims, each of which holds or does not. */
export function claimsQuestion(given: Claims, input: AssertionInput): Question<Answer> {
  const { turns } = input;
  return {
    name: given.name,
    instructions: given.instructions,
    turns,
    answer: answerSchema,
    mistakes: (answer) => answer.turns.flatMap((entry) => entryMistakes(entry, given)),
    parts: entriesOnly(),
    conclude: (answer) => conclude(answer, given, input),
  };
}

function entryMistakes({ turn, applicable, claims }: Entry, { what }: Claims): Mistake[] {
  if (applicable === claims.length > 0) return [];
  const text = applicable
    ? `Turn ${turn} is applicable, so \`claims\` must list its ${what}.`
    : `Turn ${turn} has ${what}, so it is applicable.`;
  return [contradiction(text)];
}

function shareOf(claims: Entry['claims']): number {
  return claims.filter(({ holds }) => holds).length / claims.length;
}

function conclude(answer: Answer, given: Claims, input: AssertionInput): Outcome {
  const { threshold } = input.assertion;
  const verdicts = turnVerdicts(
    answer.turns,
    input.turns,
    ({ claims }) => shareOf(claims),
    ({ claims }) => reaches(shareOf(claims), threshold),
  );
  const judged = answer.turns.filter(({ claims }) => claims.length > 0);
  const all = judged.flatMap(({ turn, claims }) => claims.map((one) => ({ turn, ...one })));
  const score =
    given.per === 'turns' ? mean(judged.map(({ claims }) => shareOf(claims))) : shareOf(all);
  if (score === undefined || all.length === 0) {
    return notApplicable(`no-${given.what}`, `${given.nothing} ${answer.rationale}`, verdicts);
  }
  const holding = all.filter(({ holds }) => holds);
  const wrong = all.filter(({ holds }) => !holds);
  return {
    kind: 'scored',
    score,
    label: wrong.length === 0 ? 'yes' : 'no',
    rationale: answer.rationale,
    turns: verdicts,
    hits: holding.map(({ turn, claim }) => citing(turn, claim)),
    misses: wrong.map(({ turn, claim }) => citing(turn, `${given.wrong}: ${claim}`)),
    details: { [given.what]: all, [`holding_${given.what}`]: holding.length },
  };
}
