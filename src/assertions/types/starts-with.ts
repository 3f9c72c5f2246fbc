import * as z from 'zod';
import { folded, ignoreCase, textAssertion } from '../shared/textAssertion.ts';

export const startsWith = textAssertion({
  type: 'starts-with',
  summary: 'The text of the chosen turns starts with `value`.',
  docs: 'Compares the beginning of what the assistant said, white space around it left out.\n\nScore: 1 when it starts so, else 0; with `at: each` turns that start so ÷ chosen turns.\n\nExample: only the first of four replies starts so: 1 with `at: first`, and 1 ÷ 4 = 0.25 with `at: each`.\n\n```yaml\n- type: starts-with\n  value: Hello\n  at: first\n```',
  params: z.strictObject({
    value: z.string().min(1).meta({ description: 'The text to look for.' }),
    ignore_case: ignoreCase,
  }),
  claim: ({ value }, found) =>
    `${found ? 'starts with' : 'does not start with'} ${JSON.stringify(value)}`,
  holds: (text, { value, ignore_case }) =>
    folded(text.trim(), ignore_case).startsWith(folded(value, ignore_case)),
});
