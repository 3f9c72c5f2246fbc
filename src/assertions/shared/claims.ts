import * as z from 'zod';
import type { Turn } from '../../core/conversation.ts';
import { groupBy } from '../../core/data/data.ts';
import { mean } from '../../core/scoring.ts';
import type { Assertion } from '../../core/suite.ts';
import { fence } from '../../core/text/visibleText.ts';
import type {
  AssertionInput,
  CaseFacts,
  ConversationTraits,
  JudgedType,
  Mistake,
  NotApplicable,
  Outcome,
  TypeDocs,
} from '../contract.ts';
import { contradiction } from './answerMistakes.ts';
import {
  citing,
  entriesOnly,
  notApplicable,
  numbersOf,
  scored,
  turnsAnswer,
  turnVerdicts,
} from './entries.ts';
import { judgedType, type OwnQuestion } from './kinds.ts';

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
  /** `turns`: mean over the turns of holding ÷ all. `claims`: holding ÷ all, over all turns. */
  readonly per: 'turns' | 'claims';
  readonly nothing: string;
}

/** A question that splits each turn into claims, and decides whether each holds. */
export function claimsQuestion(given: Claims, input: AssertionInput): OwnQuestion<Answer> {
  return {
    instructions: given.instructions,
    turns: input.turns,
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
  const { turns, assertion } = input;
  const scoreOf = ({ claims }: Entry) => shareOf(claims);
  const verdicts = turnVerdicts(answer.turns, turns, scoreOf, assertion.threshold);
  const judged = answer.turns.filter(({ claims }) => claims.length > 0);
  const all = judged.flatMap(({ turn, claims }) => claims.map((one) => ({ turn, ...one })));
  const score = given.per === 'turns' ? mean(judged.map(scoreOf)) : shareOf(all);
  if (score === undefined || all.length === 0) {
    return notApplicable(`no-${given.what}`, `${given.nothing} ${answer.rationale}`, verdicts);
  }
  const holding = all.filter(({ holds }) => holds);
  const wrong = all.filter(({ holds }) => !holds);
  return scored(answer.rationale, verdicts, {
    score,
    label: wrong.length === 0 ? 'yes' : 'no',
    hits: holding.map(({ turn, claim }) => citing(turn, claim)),
    misses: wrong.map(({ turn, claim }) => citing(turn, `${given.wrong}: ${claim}`)),
    details: { [given.what]: all, [`holding_${given.what}`]: holding.length },
  });
}

function turnsWithContext({ turns }: AssertionInput): Turn[] {
  return turns.filter(({ retrievalContext = [] }) => retrievalContext.length > 0);
}

/** For transcripts, whose context is known before the run. */
export function idleWithoutContext(
  _facts: CaseFacts,
  known: ConversationTraits,
): string | undefined {
  return known.hasRetrievedContext === false ? 'no message has `retrieval_context`' : undefined;
}

/** Asks about the turns with retrieved context, if there are any. */
function aboutRetrieval<Answer>(
  input: AssertionInput,
  question: (input: AssertionInput) => OwnQuestion<Answer> | NotApplicable,
): OwnQuestion<Answer> | NotApplicable {
  const turns = turnsWithContext(input);
  if (turns.length === 0) {
    return notApplicable('no-retrieval-context', 'No turn used retrieved context.');
  }
  return question({ ...input, turns });
}

/** What a good reply of the turn contains. */
function expectedOf({ expected }: Turn, { expectations }: CaseFacts): string | undefined {
  const { outcome } = expectations;
  return expected ?? (typeof outcome === 'string' ? outcome : undefined);
}

/**
 * As `aboutRetrieval`, for turns with an expected reply. The question contains a text that is expected
 * of several turns, such as the case's outcome, only once.
 */
export function aboutExpected<Answer>(
  input: AssertionInput,
  question: (input: AssertionInput, expected: string) => OwnQuestion<Answer>,
): OwnQuestion<Answer> | NotApplicable {
  return aboutRetrieval(input, (retrieving) => {
    const turns = retrieving.turns.filter((turn) => expectedOf(turn, input.facts));
    if (turns.length === 0) {
      const rationale = 'No turn with retrieved context has `expected`.';
      return notApplicable('nothing-expected', rationale);
    }
    const byText = groupBy(turns, (turn) => expectedOf(turn, input.facts) ?? '');
    const texts = [...byText].map(([text, some]) => {
      const whose = byText.size === 1 ? 'each turn' : `turn ${numbersOf(some)}`;
      return `Expected of ${whose}:\n${fence(text)}`;
    });
    return question({ ...input, turns }, texts.join('\n'));
  });
}

export function needsExpected(
  type: string,
  { expectations }: CaseFacts,
  { hasExpected }: ConversationTraits,
): string | undefined {
  if (typeof expectations.outcome === 'string' || hasExpected !== false) return undefined;
  return `${type} needs to know what a good reply contains: add \`expected\` to the turns, or \`expectations\` with an \`outcome\`.`;
}

interface Asking {
  readonly instructions: string;
  /** Label of an item that doesn't hold: `not supported`. */
  readonly wrong: string;
}

interface RetrievalClaims extends Asking {
  readonly type: string;
  readonly summary: string;
  readonly docs: TypeDocs;
  /** The type's own keys, and how they change the question. */
  readonly own?: {
    readonly params: z.ZodObject;
    change(assertion: Assertion): Partial<Asking>;
  };
  /** Plural name of the items: `claims`, `statements`. */
  readonly what: string;
  /** The rationale if there are none. */
  readonly nothing: string;
  /** Whether it needs to know what a good reply contains. */
  readonly expected?: boolean;
}

/** A type that compares each turn with its retrieved context, claim by claim. */
export function retrievalClaims({
  type,
  summary,
  docs,
  own,
  expected = false,
  ...asking
}: RetrievalClaims): JudgedType {
  const about = { ...asking, per: 'turns' } as const;
  return judgedType({
    type,
    summary,
    like: 'DeepEval',
    docs,
    ...(own && { params: own.params }),
    sees: () => ['context'],
    idle: idleWithoutContext,
    ...(expected && { needs: (facts, known) => needsExpected(type, facts, known) }),
    question(input) {
      const asked = { ...about, ...own?.change(input.assertion) };
      if (!expected) return aboutRetrieval(input, (narrowed) => claimsQuestion(asked, narrowed));
      return aboutExpected(input, (narrowed, text) => {
        const instructions = `${asked.instructions}\n\n${text}`;
        return claimsQuestion({ ...asked, instructions }, narrowed);
      });
    },
  });
}
