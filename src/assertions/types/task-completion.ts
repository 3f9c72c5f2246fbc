import { taskCompletionQuestion } from '../shared/deliveredRequests.ts';
import { judgedType } from '../shared/judgedType.ts';
import { DELIVERED, ONE_BY_ONE } from '../shared/wording.ts';

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
    asks: 'The judge lists what the user asked for, what was delivered and what is missing. Stricter than conversation-completeness: a refusal delivers nothing.',
    score: '1 if nothing is missing, else 0.',
    example: 'one of two requests was only promised: 0, with the gap among the misses.',
    skipped: 'if the user asks for nothing.',
    differences: `
      - If the user asks for nothing, the verdict is skipped.
    `,
    yaml: `
      - type: task-completion
        required: true
    `,
  },
  defaultThreshold: 1,
  readsContext: true,
  question: (input) => taskCompletionQuestion('task_completion', INSTRUCTIONS, input),
});
