import { AZURE_RATING, likertType } from '../shared/questions.ts';

const INSTRUCTIONS = `Question: how satisfied would a fair customer be with how the assistant served them?

First judge each turn: it passes if it serves the customer well, and fails if it lowers their satisfaction. A justified refusal, or
an honest report of a failure, passes if it names a way out or hints at one, and fails without a word about alternatives.

Then rate three aspects and the whole:
- \`helpfulness\`: did the assistant understand the need and do what was in its power?
- \`completeness\`: was everything that was asked dealt with?
- \`tone\`: 5 warm and fitting, 3 civil, 1 rude. Nothing else moves it.
The whole: 5 if everything was dealt with well; 4 if it was, with small flaws; 3 if the greater part was, or a needed question
back is still open; 2 if less was, or nothing, or it goes in circles; 1 if the need was not understood, or the assistant was
wrong or rude. A justified refusal or an honest report of a failure is 4 with a way out that the customer can take, 3 with a hint
at one, 2 without a word about alternatives; \`helpfulness\` is the same then, and for \`completeness\` it was dealt with. One turn
is rated like many. A customer who is cross for other reasons lowers nothing;
one who only says thanks raises nothing.`;

export const customerSatisfaction = likertType({
  type: 'customer-satisfaction',
  summary: 'How satisfied would a fair customer be, from 1 to 5?',
  docs: {
    asks: 'The judge rates helpfulness, completeness, and tone, and then the whole conversation, each from 1 to 5.',
    score: '(value − 1) ÷ 4. A threshold may use that scale: `threshold: 4`.',
    example: 'the rating is 4: (4 − 1) ÷ 4 = 0.75.',
    differences: `${AZURE_RATING} By default, both pass at 3 or more.`,
    yaml: `
      - type: customer-satisfaction
        threshold: 4
    `,
  },
  instructions: INSTRUCTIONS,
  aspects: ['helpfulness', 'completeness', 'tone'],
});
