import { valueAssertion } from '../shared/deterministic.ts';

export const contains = valueAssertion({
  type: 'contains',
  summary: 'The replies contain `value`.',
  docs: {
    asks: "Looks for `value` in the assistant's text.",
    score:
      '1 if the chosen turns together contain it, else 0; with `at: each`, turns that contain it ÷ chosen turns.',
    example: 'one of four replies contains it: 1, or 1 ÷ 4 = 0.25 with `at: each`.',
    yaml: `
      - type: contains
        value: "order #98765"
    `,
  },
  says: ['contains', 'does not contain'],
  holds: (text, value) => text.includes(value),
});
