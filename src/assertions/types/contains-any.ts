import { valuesAssertion } from '../shared/deterministic.ts';

export const containsAny = valuesAssertion({
  type: 'contains-any',
  summary: 'The replies contain at least one of `values`.',
  docs: {
    asks: "Looks for each of the `values` in the assistant's text. One is enough.",
    score:
      '1 if the chosen turns together contain one of them, else 0; with `at: each`, turns that contain one ÷ chosen turns.',
    example: 'two of three replies contain one of them: 1, or 2 ÷ 3 = 0.67 with `at: each`.',
    yaml: `
      - type: contains-any
        values: [manager, supervisor]
    `,
  },
  says: ['contains one of', 'contains none of'],
  holds: (text, values) => values.some((value) => text.includes(value)),
});
