import * as z from 'zod';
import { folded, ignoreCase, textAssertion } from '../shared/textAssertion.ts';

export const contains = textAssertion({
  type: 'contains',
  summary: 'The text of the chosen turns holds `value`.',
  docs: 'Looks for `value` in what the assistant said.\n\nScore: 1 when the chosen turns, taken together, hold it, else 0; with `at: each` turns that hold it ÷ chosen turns.\n\nExample: one of four replies holds it: 1, and 1 ÷ 4 = 0.25 with `at: each`.\n\n```yaml\n- type: contains\n  value: "order #98765"\n```',
  params: z.strictObject({
    value: z.string().min(1).meta({ description: 'The text to look for.' }),
    ignore_case: ignoreCase,
  }),
  claim: ({ value }, found) => `${found ? 'holds' : 'does not hold'} ${JSON.stringify(value)}`,
  holds: (text, { value, ignore_case }) =>
    folded(text, ignore_case).includes(folded(value, ignore_case)),
});
