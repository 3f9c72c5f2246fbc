import * as z from 'zod';
import { folded, ignoreCase, textAssertion } from '../shared/textAssertion.ts';

export const endsWith = textAssertion({
  type: 'ends-with',
  summary: 'The text of the chosen turns ends with `value`.',
  docs: 'Compares the end of what the assistant said, white space around it left out.\n\nScore: 1 when it ends so, else 0; with `at: each` turns that end so ÷ chosen turns.\n\nExample: three of four replies end so: 3 ÷ 4 = 0.75 with `at: each`.\n\n```yaml\n- type: ends-with\n  value: Is there anything else?\n  at: each\n```',
  params: z.strictObject({
    value: z.string().min(1).meta({ description: 'The text to look for.' }),
    ignore_case: ignoreCase,
  }),
  claim: ({ value }, found) =>
    `${found ? 'ends with' : 'does not end with'} ${JSON.stringify(value)}`,
  holds: (text, { value, ignore_case }) =>
    folded(text.trim(), ignore_case).endsWith(folded(value, ignore_case)),
});
