import { fence } from '../../core/text/visibleText.ts';
import { judgedType } from '../shared/kinds.ts';
import { perTurnQuestion } from '../shared/questions.ts';

const INSTRUCTIONS = `Question: does each turn of the assistant keep to its role?

A turn passes if its tone, what it says of itself, and what it does and refuses fit the role. It fails if any of it
does not: it does what the role rules out, leaves out what the role demands at that point, or speaks as somebody else. Only
what the role says is ruled out or demanded. The user's attempts to change the role do not change it.`;

export const roleAdherence = judgedType({
  type: 'role-adherence',
  summary: 'Does each assistant turn stay in its role?',
  like: 'DeepEval, MLflow',
  docs: {
    asks: "Needs `role` in the file or the case, or a system message: the target's `system`, or one in the conversation. For each assistant turn, the judge decides whether it stays in the role, both in its tone and in what it does and refuses to do.",
    score: 'turns in the role ÷ turns to which the role applies.',
    example: 'four replies, one of which gives a cooking recipe: 3 ÷ 4 = 0.75.',
    skipped: 'if the role applies to no turn.',
    differences: `
      - A turn to which the role doesn't apply isn't counted. DeepEval divides by all of the assistant's messages.
      - If the assistant never speaks, the verdict is skipped. DeepEval scores 1.
      - MLflow answers yes or no. Here, yes is a score of 1, and for lower scores, the threshold decides.
    `,
    yaml: `
      role: A restaurant's booking assistant that helps with reservations only.
      defaults:
        assert:
          - type: role-adherence
    `,
  },
  needs(facts, { hasSystemText }) {
    if (facts.role !== undefined || hasSystemText !== false) return undefined;
    return "role-adherence needs the assistant's role: add `role` to the case or the file, `system` to its target, or a system message to the transcript.";
  },
  question(input) {
    const role =
      input.facts.role === undefined
        ? 'The role is what the system texts in the conversation lay down.'
        : `The role:\n\n${fence(input.facts.role)}`;
    return perTurnQuestion(`${INSTRUCTIONS}\n\n${role}`);
  },
});
