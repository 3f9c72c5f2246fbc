import * as z from 'zod';
import { folded, ignoreCase, textAssertion } from '../shared/textAssertion.ts';

export const containsAll = textAssertion({
  type: 'contains-all',
  summary: 'The text of the chosen turns holds every one of `values`.',
  docs: 'Looks for each of `values` in what the assistant said; all must be there.\n\nScore: 1 when the chosen turns, taken together, hold all of them, else 0; with `at: each` turns that hold all ÷ chosen turns.\n\nExample: of two replies each holds another of two values: 1, and 0 ÷ 2 = 0 with `at: each`.\n\n```yaml\n- type: contains-all\n  values: ["98765", Portland]\n```',
  params: z.strictObject({
    values: z.array(z.string().min(1)).min(1).meta({ description: 'The texts to look for.' }),
    ignore_case: ignoreCase,
  }),
  claim: ({ values }, found) =>
    `${found ? 'holds all of' : 'does not hold all of'} ${JSON.stringify(values)}`,
  holds: (text, { values, ignore_case }) =>
    values.every((value) => folded(text, ignore_case).includes(folded(value, ignore_case))),
});
