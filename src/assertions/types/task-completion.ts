import * as z from 'zod';
import type { JudgedType } from '../contract.ts';
import { taskCompletionQuestion } from '../shared/deliveredRequests.ts';

const INSTRUCTIONS = `Question: has the user, by the end, got in hand what was asked for?

First list \`requests\`: each thing that the user asked to be done or told, with the turn that asked. For each say what
was delivered, in which turn, and the \`gaps\`: what is missing, wrong or only promised. A request is complete only
when nothing is missing. A refusal delivers nothing, however justified; announcing, apologising and asking back
deliver nothing. Whether the user is content does not matter. Tool results count as evidence of what was done.

Then judge each turn: it passes when it delivers something or is a needed step towards it; it fails when it claims
what was not done, or leaves a gap that it should have closed. It is not applicable when nothing is asked for.`;

export const taskCompletion: JudgedType = {
  kind: 'judged',
  type: 'task-completion',
  summary: 'Has the user got in hand what was asked for?',
  like: 'Azure',
  docs: {
    asks: 'The judge lists what the user asked for, what was delivered and what is missing. Stricter than conversation-completeness: a refusal delivers nothing.',
    score: '1 when nothing is missing, else 0.',
    example: 'of two requests one was only promised: 0, with the gap among the misses.',
    skipped: 'where the user asks for nothing.',
    yaml: `
      - type: task-completion
        required: true
    `,
  },
  params: z.strictObject({}),
  defaultThreshold: 1,
  side: 'assistant',
  question: (input) => taskCompletionQuestion('task_completion', INSTRUCTIONS, input),
};
