import { likertType } from '../shared/likert.ts';

const INSTRUCTIONS = `Question: how satisfied would a fair customer be with how the assistant served them?

First judge each turn: it passes when it serves the customer well, it fails when it lowers the satisfaction.

Then rate three aspects and the whole:
- \`helpfulness\`: did the assistant understand the need and do what was in its power?
- \`completeness\`: was everything that was asked dealt with?
- \`tone\`: was it respectful, warm where that was due, and calm where the customer was not?
5 is very satisfied: all is well; 4 satisfied: small flaws; 3 neither: dealt with in part, or a fitting question back is
still open; 2 dissatisfied: understood but nothing resolved, or going in circles; 1 very dissatisfied: not understood,
wrong or rude. One turn is rated like many. A customer who is cross for other reasons lowers nothing, one who only says
thanks raises nothing.`;

export const customerSatisfaction = likertType({
  type: 'customer-satisfaction',
  summary: 'How satisfied would a fair customer be, 1 to 5?',
  docs: {
    asks: 'The judge rates helpfulness, completeness and tone, and then the whole conversation, each 1 to 5.',
    score: '(value − 1) ÷ 4. A threshold may use that scale: `threshold: 4`.',
    example: 'value 4: (4 − 1) ÷ 4 = 0.75.',
    differences: `
      - Azure's score is the rating, 1 to 5. Here the rating is \`value\`, and the score is (value − 1) ÷ 4. Both pass from 3 on by default.
    `,
    yaml: `
      - type: customer-satisfaction
        threshold: 4
    `,
  },
  instructions: INSTRUCTIONS,
  aspects: ['helpfulness', 'completeness', 'tone'],
});
