import * as z from 'zod';
import { turnsOfSide } from '../../core/conversation.ts';
import { lookUpQuote } from '../../core/quote.ts';
import type { AssertionInput, Mistake, Outcome, Question } from '../contract.ts';
import {
  citing,
  fromVerdictEntries,
  notApplicable,
  rationaleSchema,
  verdictEntrySchema,
  withWhole,
} from './entries.ts';
import { citationMistakes, contradiction } from './mistakes.ts';

const answerSchema = z.object({
  requests: z.array(
    z.object({
      request: z.string(),
      asked_turn: z.number(),
      delivered: z.string().describe('What the user has in hand at the end; empty if nothing.'),
      delivered_turn: z.number().nullable(),
      evidence: z.string().describe('Copied from the turn that delivered it; empty if none did.'),
      gaps: z.array(z.string()).describe('What is missing; empty only if nothing is.'),
    }),
  ),
  turns: z.array(verdictEntrySchema),
  rationale: rationaleSchema,
});

type Answer = z.infer<typeof answerSchema>;
type Request = Answer['requests'][number];

/** What the user asked for and what was delivered. Score: 1 when nothing is missing, else 0. */
export function taskCompletionQuestion(
  name: string,
  instructions: string,
  input: AssertionInput,
): Question<Answer> {
  return {
    name,
    instructions,
    turns: input.turns,
    answer: answerSchema,
    mistakes: (answer) =>
      answer.requests.flatMap((one, index) => requestMistakes(one, index + 1, input)),
    parts: withWhole(answerSchema),
    conclude: (answer) => conclude(answer, input),
  };
}

function requestMistakes(
  { asked_turn, delivered_turn, gaps }: Request,
  number: number,
  input: AssertionInput,
): Mistake[] {
  const request = `Request ${number}`;
  const cited = citationMistakes(input, 'assistant', delivered_turn, request);
  const early = cited.length === 0 && delivered_turn !== null && delivered_turn < asked_turn;
  return [
    ...citationMistakes(input, 'user', asked_turn, request),
    ...cited,
    ...(early
      ? [
          contradiction(
            `${request} cannot be delivered in turn ${delivered_turn}, before it was asked for.`,
          ),
        ]
      : []),
    ...(delivered_turn === null && gaps.length === 0
      ? [contradiction(`${request} has no gaps, so it must name the turn that delivered it.`)]
      : []),
  ];
}

function conclude({ requests, turns, rationale }: Answer, input: AssertionInput): Outcome {
  const verdicts = fromVerdictEntries(turns, input.turns);
  if (requests.length === 0) {
    return notApplicable('no-requests', `The user asked for nothing. ${rationale}`, verdicts);
  }
  const complete = requests.filter(({ gaps }) => gaps.length === 0);
  const open = requests.filter(({ gaps }) => gaps.length > 0);
  const assistant = turnsOfSide(input.conversation, 'assistant');
  const details = requests.map((one) => {
    const turn = assistant.find(({ number }) => number === one.delivered_turn);
    return { ...one, evidence: turn && lookUpQuote(turn, one.evidence) };
  });
  return {
    kind: 'scored',
    score: open.length === 0 ? 1 : 0,
    label: open.length === 0 ? 'yes' : 'no',
    rationale,
    turns: verdicts,
    hits: complete.map((one) => citing(one.delivered_turn ?? one.asked_turn, one.request)),
    misses: open.map((one) =>
      citing(one.asked_turn, `${one.request}, missing: ${one.gaps.join('; ')}`),
    ),
    details: { requests: details },
  };
}
