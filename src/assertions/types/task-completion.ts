import * as z from 'zod';
import { turnsOfSide } from '../../core/conversation.ts';
import type { AssertionInput, Mistake } from '../contract.ts';
import { citationMistakes, contradiction } from '../shared/answerMistakes.ts';
import { citing, lookUpQuote, turnsAnswer, verdictSchema } from '../shared/entries.ts';
import { judgedType, type OwnQuestion } from '../shared/kinds.ts';
import { DELIVERED, ONE_BY_ONE, withFacts } from '../shared/questions.ts';

const INSTRUCTIONS = `Question: has the user, by the end, got in hand what was asked for?

First list \`requests\`, what the user asked to be done or told, with the turn that asked. ${ONE_BY_ONE} For each say what
was delivered, in which turn, and the \`gaps\`: what is missing, wrong or only promised. A request is complete only
if nothing is missing; what is delivered in part has gaps. ${DELIVERED} Here a refusal delivers nothing either, however
justified, and neither does an announcement, an apology, or a question back. Whether the user is content does not matter.

Then judge each turn: it passes if it delivers something, is a needed step towards it, or refuses with its reason what
it may not do; it fails if it claims what was not done, or leaves a gap that it should have closed, even next to what
it delivers. It is not applicable if nothing that was asked for was still open.`;

export const taskCompletion = judgedType({
  type: 'task-completion',
  summary: 'Did the user get what they asked for?',
  like: 'Azure',
  docs: {
    asks: 'The judge lists what the user asked for, what was delivered, and what is missing. It is stricter than `conversation-completeness`: a refusal delivers nothing.',
    score: '1 if nothing is missing, else 0.',
    example: 'one of two requests was only promised: 0, and `misses` lists the gap.',
    skipped: 'if the user asks for nothing.',
    differences: '- If the user asks for nothing, the verdict is skipped.',
    yaml: `
      - type: task-completion
        required: true
    `,
  },
  defaultThreshold: 1,
  readsContext: true,
  question: (input) => taskCompletionQuestion(INSTRUCTIONS, input),
});

const requestSchema = z.object({
  request: z.string(),
  asked_turn: z.number(),
  delivered: z.string().describe('What the user has in hand at the end; empty if nothing.'),
  delivered_turn: z.number().nullable(),
  evidence: z.string().describe('Copied from the turn that delivered it; empty if none did.'),
  gaps: z.array(z.string()).describe('What is missing; empty only if nothing is.'),
});

const answerSchema = turnsAnswer({ verdict: verdictSchema }, { requests: z.array(requestSchema) });

/** Lists the user's requests and what was delivered. Score: 1 if nothing is missing, else 0. */
export function taskCompletionQuestion(
  instructions: string,
  input: AssertionInput,
): OwnQuestion<z.infer<typeof answerSchema>> {
  return {
    instructions: withFacts(input, instructions),
    answer: answerSchema,
    mistakes: ({ requests }) =>
      requests.flatMap((one, index) => requestMistakes(one, `Request ${index + 1}`, input)),
    conclude({ requests, rationale }) {
      if (requests.length === 0) {
        return { reason: 'no-requests', rationale: `The user asked for nothing. ${rationale}` };
      }
      const complete = requests.filter(({ gaps }) => gaps.length === 0);
      const open = requests.filter(({ gaps }) => gaps.length > 0);
      const turns = turnsOfSide(input.conversation, 'assistant');
      return {
        score: open.length === 0 ? 1 : 0,
        label: open.length === 0 ? 'yes' : 'no',
        hits: complete.map((one) => citing(one.delivered_turn ?? one.asked_turn, one.request)),
        misses: open.map(({ asked_turn, request, gaps }) =>
          citing(asked_turn, `${request}, missing: ${gaps.join('; ')}`),
        ),
        details: {
          requests: requests.map((one) => ({
            ...one,
            evidence: lookUpQuote(turns, one.delivered_turn, one.evidence),
          })),
        },
      };
    },
  };
}

function requestMistakes(
  { asked_turn, delivered_turn, gaps }: z.infer<typeof requestSchema>,
  request: string,
  input: AssertionInput,
): Mistake[] {
  const mistakes = citationMistakes(input, 'user', asked_turn, request);
  const cited = citationMistakes(input, 'assistant', delivered_turn, request);
  mistakes.push(...cited);
  if (cited.length === 0 && delivered_turn !== null && delivered_turn < asked_turn) {
    const text = `${request} cannot be delivered in turn ${delivered_turn}, before it was asked for.`;
    mistakes.push(contradiction(text));
  }
  if (delivered_turn === null && gaps.length === 0) {
    const text = `${request} has no gaps, so it must name the turn that delivered it.`;
    mistakes.push(contradiction(text));
  }
  return mistakes;
}
