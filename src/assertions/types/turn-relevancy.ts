import { judgedType } from '../shared/kinds.ts';
import { perTurnQuestion } from '../shared/questions.ts';

const INSTRUCTIONS = `Question: is each turn of the assistant relevant to what came before it?

A turn passes if it really responds to what the user said last, all or part of it: with an answer, a step towards it, a question
whose answer is needed, a refusal with its reason, "I don't know", or a greeting if one is due; something else may follow. "Yes,
book it." is about whatever was offered before. If the user only acknowledged, it passes by continuing the topic. A turn fails if
it speaks of something else, also after an empty acknowledgement; stays on the topic but leaves a direct question unanswered;
answers what was not asked; or repeats what was settled. A turn shown only as "…" was cut and is not applicable. Whether a turn is
right, polite, or complete does not matter here.`;

export const turnRelevancy = judgedType({
  type: 'turn-relevancy',
  summary: 'Is each assistant turn relevant to what came before it?',
  like: 'DeepEval',
  docs: {
    asks: 'For each assistant turn, the judge decides whether it is relevant to the conversation so far.',
    score: 'relevant turns ÷ turns to which the question applies.',
    example: 'four replies, one of which answers a question nobody asked: 3 ÷ 4 = 0.75.',
    skipped: 'if the question applies to no turn.',
    differences: `
      - A turn to which the question doesn't apply isn't counted. DeepEval counts every exchange.
      - The whole turn is judged. DeepEval judges the last message of an exchange.
      - The judge sees the whole conversation. DeepEval's judge sees up to ten exchanges; \`granularity: turn\` with \`window: 19\` is the closest equivalent.
      - If the question applies to no turn, the verdict is skipped. DeepEval scores 1 if there is no exchange.
    `,
    yaml: `
      - type: turn-relevancy
        threshold: 0.8
    `,
  },
  question: () => perTurnQuestion(INSTRUCTIONS),
});
