import { valueAssertion } from '../shared/wantedText.ts';

export const startsWith = valueAssertion({
  type: 'starts-with',
  summary: 'The text of the chosen turns starts with `value`.',
  docs: {
    asks: 'Compares the beginning of what the assistant said, white space around it left out.',
    score: '1 when it starts so, else 0; with `at: each` turns that start so ÷ chosen turns.',
    example:
      'only the first of four replies starts so: 1 with `at: first`, and 1 ÷ 4 = 0.25 with `at: each`.',
    yaml: `
      - type: starts-with
        value: Hello
        at: first
    `,
  },
  says: ['starts with', 'does not start with'],
  holds: (text, value) => text.trim().startsWith(value),
});
