import * as z from 'zod';
import type { JudgedType } from '../contract.ts';
import { perTurnQuestion } from '../shared/perTurn.ts';

const INSTRUCTIONS = `Question: is each turn of the assistant relevant to what came before it?

A turn passes when it takes up what the user said last: an answer, a step towards it, a question whose answer is
needed, a refusal with its reason, or a greeting where one is due. "Yes, book it." is about whatever was offered
before. It fails when it speaks of something else, answers what was not asked, or repeats what was settled. Whether it
is right, polite or complete does not matter here.`;

export const turnRelevancy: JudgedType = {
  kind: 'judged',
  type: 'turn-relevancy',
  summary: 'Does each assistant turn take up what came before it?',
  like: 'DeepEval',
  docs: {
    asks: 'The judge says of each assistant turn whether it is relevant to the conversation up to there.',
    score: 'relevant turns ÷ turns that it applies to.',
    example: 'four replies, one of which answers a question that nobody asked: 3 ÷ 4 = 0.75.',
    skipped: 'where it applies to no turn.',
    yaml: `
      - type: turn-relevancy
        threshold: 0.8
    `,
  },
  params: z.strictObject({}),
  defaultThreshold: 0.5,
  side: 'assistant',
  question: (input) => perTurnQuestion('turn_relevancy', INSTRUCTIONS, input),
};
