import { valuesAssertion } from '../shared/deterministic.ts';

export const containsAll = valuesAssertion({
  type: 'contains-all',
  summary: 'The replies contain every one of `values`.',
  docs: {
    asks: "Looks for each of the `values` in the assistant's text. All of them must be present.",
    score:
      '1 if the chosen turns together contain all of them, else 0; with `at: each`, turns that contain all ÷ chosen turns.',
    example: 'two replies each contain one of two values: 1, or 0 ÷ 2 = 0 with `at: each`.',
    yaml: `
      - type: contains-all
        values: ["98765", Portland]
    `,
  },
  says: ['contains all of', 'does not contain all of'],
  holds: (text, values) => values.every((value) => text.includes(value)),
});
