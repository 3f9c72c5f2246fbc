import * as z from 'zod';
import { folded, ignoreCase, textAssertion } from '../shared/textAssertion.ts';

export const equals = textAssertion({
  type: 'equals',
  summary: 'The text of the chosen turns is `value`.',
  docs: 'Compares what the assistant said as a whole, white space around it left out.\n\nScore: 1 when they are the same, else 0; with `at: each` turns that are the same ÷ chosen turns.\n\nExample: the last of three replies is the value: 1 with `at: last`, and 1 ÷ 3 = 0.33 with `at: each`.\n\n```yaml\n- type: equals\n  value: Goodbye.\n  at: last\n```',
  params: z.strictObject({
    value: z.string().min(1).meta({ description: 'The text to look for.' }),
    ignore_case: ignoreCase,
  }),
  claim: ({ value }, found) => `${found ? 'is' : 'is not'} ${JSON.stringify(value)}`,
  holds: (text, { value, ignore_case }) =>
    folded(text.trim(), ignore_case) === folded(value.trim(), ignore_case),
});
