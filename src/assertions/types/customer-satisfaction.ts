import * as z from 'zod';
import type { JudgedType } from '../contract.ts';
import { LIKERT, likertQuestion } from '../shared/likert.ts';

const INSTRUCTIONS = `Question: how satisfied would a fair customer be with how the assistant served them?

Rate three aspects and then the whole:
- \`helpfulness\`: did the assistant understand the need and do what was in its power?
- \`completeness\`: was everything that was asked dealt with?
- \`tone\`: was it respectful, warm where that was due, and calm where the customer was not?
1 is very dissatisfied, 2 dissatisfied, 3 neither, 4 satisfied, 5 very satisfied. A customer who is cross for other
reasons lowers nothing, one who only says thanks raises nothing.

Then judge each turn: it passes when it serves the customer well, it fails when it lowers the satisfaction.`;

export const customerSatisfaction: JudgedType = {
  kind: 'judged',
  type: 'customer-satisfaction',
  summary: 'How satisfied would a fair customer be, 1 to 5?',
  like: 'Azure',
  docs: 'The judge rates helpfulness, completeness and tone and then the whole, each 1 to 5.\n\nScore: (value − 1) ÷ 4. A threshold may be written on the scale: `threshold: 4`.\n\nExample: value 4: (4 − 1) ÷ 4 = 0.75.\n\n```yaml\n- type: customer-satisfaction\n  threshold: 4\n```',
  params: z.strictObject({}),
  scale: LIKERT,
  defaultThreshold: 0.5,
  side: 'assistant',
  question: (input) =>
    likertQuestion(
      {
        name: 'customer_satisfaction',
        instructions: INSTRUCTIONS,
        aspects: ['helpfulness', 'completeness', 'tone'],
      },
      input,
    ),
};
