import { valueAssertion } from '../shared/deterministic.ts';

export const endsWith = valueAssertion({
  type: 'ends-with',
  summary: 'The replies end with `value`.',
  docs: {
    asks: "Compares the end of the assistant's text, ignoring surrounding whitespace.",
    score: '1 if the end matches, else 0; with `at: each`, turns that match ÷ chosen turns.',
    example: 'three of four replies end with it: 3 ÷ 4 = 0.75 with `at: each`.',
    yaml: `
      - type: ends-with
        value: Is there anything else?
        at: each
    `,
  },
  says: ['ends with', 'does not end with'],
  holds: (text, value) => text.trim().endsWith(value),
});
