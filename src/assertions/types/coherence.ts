import { likertType } from '../shared/likert.ts';

const INSTRUCTIONS = `Question: does the conversation hang together on the assistant's side?

Rate the whole: 5 when every turn of the assistant follows from what came before, none contradicts another and changes
of subject are led over; 4 with small breaks; 3 when the thread is lost for a while; 2 when it is lost often; 1 when
the turns do not belong together.

\`user_incoherent\` is true only when it is the user who makes the conversation incoherent, by messages that no
assistant could make sense of; then the value does not count.

Then judge each turn: it passes when it follows from what came before, and fails when it breaks the thread or
contradicts an earlier turn.`;

export const coherence = likertType({
  type: 'coherence',
  summary: "Does the assistant's side hang together, 1 to 5?",
  docs: {
    asks: 'The judge rates how well the assistant turns follow from each other and from what was said.',
    score: '(value − 1) ÷ 4. A threshold may be written on the scale: `threshold: 3`.',
    example: 'value 2: (2 − 1) ÷ 4 = 0.25.',
    skipped: 'where it is the user who makes the conversation incoherent.',
    yaml: `
      - type: coherence
        threshold: 3
    `,
  },
  instructions: INSTRUCTIONS,
  exception: 'user_incoherent',
});
