import * as z from 'zod';
import type { Turn } from '../../core/conversation.ts';
import { groupBy } from '../../core/data/data.ts';
import { mean } from '../../core/scoring.ts';
import { fence } from '../../core/text/visibleText.ts';
import type { JudgedType, TypeInfo } from '../contract.ts';
import { contradiction } from './answerMistakes.ts';
import { citing, notApplicable, numbersOf, turnsAnswer } from './entries.ts';
import { judgedType, type OwnQuestion, type TurnsAnswer } from './kinds.ts';

const answerSchema = turnsAnswer({
  claims: z.array(z.object({ claim: z.string(), holds: z.boolean() })),
});

type Answer = z.infer<typeof answerSchema>;
type Entry = Answer['turns'][number];

interface Claims {
  readonly instructions: string;
  /** Plural name of the items: `claims`, `statements`. */
  readonly what: string;
  /** Label of an item that doesn't hold: `unsupported`. */
  readonly wrong: string;
  /** The rationale if there are no items. */
  readonly nothing: string;
}

/**
 * A question that splits each turn into claims, and decides whether each holds.
 *
 * @param per `turns`: the mean of each turn's share of claims that hold. `claims`: the share of claims that hold,
 * across all turns.
 */
export function claimsQuestion(
  { instructions, what, wrong, nothing }: Claims,
  per: 'turns' | 'claims' = 'turns',
): OwnQuestion<Answer> {
  const shareOf = ({ claims }: Pick<Entry, 'claims'>) =>
    claims.filter(({ holds }) => holds).length / claims.length;
  return {
    instructions,
    answer: answerSchema,
    mistakes: ({ turns }) =>
      turns
        .filter(({ applicable, claims }) => applicable !== claims.length > 0)
        .map(({ turn, applicable }) =>
          contradiction(
            applicable
              ? `Turn ${turn} is applicable, so \`claims\` must list its ${what}.`
              : `Turn ${turn} has ${what}, so it is applicable.`,
          ),
        ),
    scoreOf: shareOf,
    conclude({ turns, rationale }) {
      const judged = turns.filter(({ claims }) => claims.length > 0);
      const all = judged.flatMap(({ turn, claims }) => claims.map((one) => ({ turn, ...one })));
      const score = per === 'turns' ? mean(judged.map(shareOf)) : shareOf({ claims: all });
      if (score === undefined || all.length === 0) {
        return { reason: `no-${what}`, rationale: `${nothing} ${rationale}` };
      }
      const holding = all.filter(({ holds }) => holds);
      const wrongs = all.filter(({ holds }) => !holds);
      return {
        score,
        label: wrongs.length === 0 ? 'yes' : 'no',
        hits: holding.map(({ turn, claim }) => citing(turn, claim)),
        misses: wrongs.map(({ turn, claim }) => citing(turn, `${wrong}: ${claim}`)),
        details: { [what]: all, [`holding_${what}`]: holding.length },
      };
    },
  };
}

interface RetrievalType<Params extends z.ZodObject> extends TypeInfo {
  readonly params?: Params;
  /** Whether it needs to know what a good reply would contain. */
  readonly expected?: true;
  question(turns: readonly Turn[], params: z.infer<Params>): OwnQuestion<TurnsAnswer>;
}

/**
 * A type that judges turns with retrieved context and, if `expected`, an expected reply, which the question then
 * includes.
 */
export function retrievalType<Params extends z.ZodObject>({
  expected,
  question,
  ...type
}: RetrievalType<Params>): JudgedType {
  return judgedType({
    like: 'DeepEval',
    ...type,
    sees: () => ['context'],
    // Context is known before the run only for transcripts.
    idle: (_facts, { hasRetrievedContext }) =>
      hasRetrievedContext === false ? 'no message has `retrieval_context`' : undefined,
    needs({ expectations: { outcome } }, { hasExpected }) {
      if (!expected || typeof outcome === 'string' || hasExpected !== false) return undefined;
      return `${type.type} needs to know what a good reply contains: add \`expected\` to the turns, or \`expectations\` with an \`outcome\`.`;
    },
    question({ turns, facts: { expectations } }, params) {
      const retrieving = turns.filter(({ retrievalContext = [] }) => retrievalContext.length > 0);
      if (retrieving.length === 0) {
        return notApplicable('no-retrieval-context', 'No turn used retrieved context.');
      }
      if (!expected) return { ...question(retrieving, params), turns: retrieving };
      const { outcome } = expectations;
      const expectedOf = (turn: Turn) =>
        turn.expected ?? (typeof outcome === 'string' ? outcome : '');
      const judged = retrieving.filter((turn) => expectedOf(turn) !== '');
      if (judged.length === 0) {
        const rationale = 'No turn with retrieved context has `expected`.';
        return notApplicable('nothing-expected', rationale);
      }
      // Turns can share the same expected text, such as the case's outcome.
      const byText = groupBy(judged, expectedOf);
      const texts = [...byText].map(([text, some]) => {
        const whose = byText.size === 1 ? 'each turn' : `turn ${numbersOf(some)}`;
        return `Expected of ${whose}:\n${fence(text)}`;
      });
      const asked = question(judged, params);
      const instructions = `${asked.instructions}\n\n${texts.join('\n')}`;
      return { ...asked, turns: judged, instructions };
    },
  });
}
