import { valueAssertion } from '../shared/deterministic.ts';

export const equals = valueAssertion({
  type: 'equals',
  summary: 'The text of the replies equals `value`.',
  docs: {
    asks: "Compares the assistant's whole text, ignoring surrounding whitespace.",
    score:
      '1 if the texts are equal, else 0; with `at: each`, turns that are equal ÷ chosen turns.',
    example:
      'the last of three replies equals the value: 1 with `at: last`, or 1 ÷ 3 = 0.33 with `at: each`.',
    yaml: `
      - type: equals
        value: Goodbye.
        at: last
    `,
  },
  says: ['is', 'is not'],
  holds: (text, value) => text.trim() === value.trim(),
});
