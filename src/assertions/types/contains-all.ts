import { valuesAssertion } from '../shared/wantedText.ts';

export const containsAll = valuesAssertion({
  type: 'contains-all',
  summary: 'The text of the chosen turns holds every one of `values`.',
  docs: {
    asks: 'Looks for each of `values` in what the assistant said; all must be there.',
    score:
      '1 when the chosen turns, taken together, hold all of them, else 0; with `at: each` turns that hold all ÷ chosen turns.',
    example: 'of two replies each holds another of two values: 1, and 0 ÷ 2 = 0 with `at: each`.',
    yaml: `
      - type: contains-all
        values: ["98765", Portland]
    `,
  },
  says: ['holds all of', 'does not hold all of'],
  holds: (text, values) => values.every((value) => text.includes(value)),
});
