import * as z from 'zod';
import { turnsOfSide } from '../../core/conversation.ts';
import type { AssertionInput, Mistake, Question } from '../contract.ts';
import { citationMistakes, contradiction } from './answerMistakes.ts';
import { withCase } from './caseText.ts';
import { citing } from './entries.ts';
import { listQuestion } from './listQuestion.ts';
import { lookUpQuote } from './quote.ts';

const requestSchema = z.object({
  request: z.string(),
  asked_turn: z.number(),
  delivered: z.string().describe('What the user has in hand at the end; empty if nothing.'),
  delivered_turn: z.number().nullable(),
  evidence: z.string().describe('Copied from the turn that delivered it; empty if none did.'),
  gaps: z.array(z.string()).describe('What is missing; empty only if nothing is.'),
});

type Request = z.infer<typeof requestSchema>;

/** What the user asked for and what was delivered. Score: 1 when nothing is missing, else 0. */
export function taskCompletionQuestion(
  name: string,
  instructions: string,
  input: AssertionInput,
): Question<unknown> {
  return listQuestion(input, {
    name,
    instructions: withCase(input, instructions),
    key: 'requests',
    item: requestSchema,
    mistakes: (request, number) => requestMistakes(request, number, input),
    none: 'The user asked for nothing.',
    conclude: (requests) => conclude(requests, input),
  });
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

function conclude(requests: readonly Request[], { conversation }: AssertionInput) {
  const complete = requests.filter(({ gaps }) => gaps.length === 0);
  const open = requests.filter(({ gaps }) => gaps.length > 0);
  const assistant = turnsOfSide(conversation, 'assistant');
  const details = requests.map((one) => {
    const turn = assistant.find(({ number }) => number === one.delivered_turn);
    return { ...one, evidence: turn && lookUpQuote(turn, one.evidence) };
  });
  return {
    score: open.length === 0 ? 1 : 0,
    hits: complete.map((one) => citing(one.delivered_turn ?? one.asked_turn, one.request)),
    misses: open.map((one) =>
      citing(one.asked_turn, `${one.request}, missing: ${one.gaps.join('; ')}`),
    ),
    details,
  };
}
