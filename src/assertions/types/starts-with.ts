import { valueAssertion } from '../shared/deterministic.ts';

export const startsWith = valueAssertion({
  type: 'starts-with',
  summary: 'The replies start with `value`.',
  docs: {
    asks: "Compares the start of the assistant's text, ignoring surrounding whitespace.",
    score: '1 if the start matches, else 0; with `at: each`, turns that match ÷ chosen turns.',
    example:
      'only the first of four replies starts with it: 1 with `at: first`, or 1 ÷ 4 = 0.25 with `at: each`.',
    yaml: `
      - type: starts-with
        value: Hello
        at: first
    `,
  },
  says: ['starts with', 'does not start with'],
  holds: (text, value) => text.trim().startsWith(value),
});
