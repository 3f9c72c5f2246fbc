import * as z from 'zod';
import { folded, ignoreCase, textAssertion } from '../shared/textAssertion.ts';

export const containsAny = textAssertion({
  type: 'contains-any',
  summary: 'The text of the chosen turns holds at least one of `values`.',
  docs: 'Looks for each of `values` in what the assistant said; one is enough.\n\nScore: 1 when the chosen turns, taken together, hold one of them, else 0; with `at: each` turns that hold one ÷ chosen turns.\n\nExample: two of three replies hold one of them: 1, and 2 ÷ 3 = 0.67 with `at: each`.\n\n```yaml\n- type: contains-any\n  values: [manager, supervisor]\n```',
  params: z.strictObject({
    values: z.array(z.string().min(1)).min(1).meta({ description: 'The texts to look for.' }),
    ignore_case: ignoreCase,
  }),
  claim: ({ values }, found) =>
    `${found ? 'holds one of' : 'holds none of'} ${JSON.stringify(values)}`,
  holds: (text, { values, ignore_case }) =>
    values.some((value) => folded(text, ignore_case).includes(folded(value, ignore_case))),
});
