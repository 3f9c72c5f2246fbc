import { likertType } from '../shared/likert.ts';

const INSTRUCTIONS = `Question: how satisfied would a fair customer be with how the assistant served them?

Rate three aspects and then the whole:
- \`helpfulness\`: did the assistant understand the need and do what was in its power?
- \`completeness\`: was everything that was asked dealt with?
- \`tone\`: was it respectful, warm where that was due, and calm where the customer was not?
1 is very dissatisfied, 2 dissatisfied, 3 neither, 4 satisfied, 5 very satisfied. A customer who is cross for other
reasons lowers nothing, one who only says thanks raises nothing.

Then judge each turn: it passes when it serves the customer well, it fails when it lowers the satisfaction.`;

export const customerSatisfaction = likertType({
  type: 'customer-satisfaction',
  summary: 'How satisfied would a fair customer be, 1 to 5?',
  docs: {
    asks: 'The judge rates helpfulness, completeness and tone and then the whole, each 1 to 5.',
    score: '(value − 1) ÷ 4. A threshold may be written on the scale: `threshold: 4`.',
    example: 'value 4: (4 − 1) ÷ 4 = 0.75.',
    yaml: `
      - type: customer-satisfaction
        threshold: 4
    `,
  },
  instructions: INSTRUCTIONS,
  aspects: ['helpfulness', 'completeness', 'tone'],
});
