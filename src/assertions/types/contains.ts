import { valueAssertion } from '../shared/wantedText.ts';

export const contains = valueAssertion({
  type: 'contains',
  summary: 'The text of the chosen turns holds `value`.',
  docs: {
    asks: 'Looks for `value` in what the assistant said.',
    score:
      '1 when the chosen turns, taken together, hold it, else 0; with `at: each` turns that hold it ÷ chosen turns.',
    example: 'one of four replies holds it: 1, and 1 ÷ 4 = 0.25 with `at: each`.',
    yaml: `
      - type: contains
        value: "order #98765"
    `,
  },
  says: ['holds', 'does not hold'],
  holds: (text, value) => text.includes(value),
});
