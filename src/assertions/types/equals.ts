import { valueAssertion } from '../shared/wantedText.ts';

export const equals = valueAssertion({
  type: 'equals',
  summary: 'The text of the chosen turns is `value`.',
  docs: {
    asks: 'Compares what the assistant said as a whole, white space around it left out.',
    score:
      '1 when they are the same, else 0; with `at: each` turns that are the same ÷ chosen turns.',
    example:
      'the last of three replies is the value: 1 with `at: last`, and 1 ÷ 3 = 0.33 with `at: each`.',
    yaml: `
      - type: equals
        value: Goodbye.
        at: last
    `,
  },
  says: ['is', 'is not'],
  holds: (text, value) => text.trim() === value.trim(),
});
