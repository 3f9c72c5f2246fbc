import { valuesAssertion } from '../shared/wantedText.ts';

export const containsAny = valuesAssertion({
  type: 'contains-any',
  summary: 'The text of the chosen turns holds at least one of `values`.',
  docs: {
    asks: 'Looks for each of `values` in what the assistant said; one is enough.',
    score:
      '1 when the chosen turns, taken together, hold one of them, else 0; with `at: each` turns that hold one ÷ chosen turns.',
    example: 'two of three replies hold one of them: 1, and 2 ÷ 3 = 0.67 with `at: each`.',
    yaml: `
      - type: contains-any
        values: [manager, supervisor]
    `,
  },
  says: ['holds one of', 'holds none of'],
  holds: (text, values) => values.some((value) => text.includes(value)),
});
