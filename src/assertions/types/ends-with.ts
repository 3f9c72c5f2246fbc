import { valueAssertion } from '../shared/wantedText.ts';

export const endsWith = valueAssertion({
  type: 'ends-with',
  summary: 'The text of the chosen turns ends with `value`.',
  docs: {
    asks: 'Compares the end of what the assistant said, white space around it left out.',
    score: '1 when it ends so, else 0; with `at: each` turns that end so ÷ chosen turns.',
    example: 'three of four replies end so: 3 ÷ 4 = 0.75 with `at: each`.',
    yaml: `
      - type: ends-with
        value: Is there anything else?
        at: each
    `,
  },
  says: ['ends with', 'does not end with'],
  holds: (text, value) => text.trim().endsWith(value),
});
