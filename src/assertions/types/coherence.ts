import { likertType } from '../shared/likert.ts';

const INSTRUCTIONS = `Question: does the conversation hang together on the assistant's side?

First judge each turn: it passes when it follows from what came before, and fails when it breaks the thread or
contradicts an earlier turn.

Then rate the whole: 5 when every turn of the assistant follows from what came before, none contradicts another and
changes of subject are led over; 4 with small breaks; 3 when the thread is lost for a while or one turn contradicts
another; 2 when it is lost often or goes in circles; 1 when the turns do not belong together. One turn alone is rated by
how it follows from the user's.

\`user_incoherent\` is true only when it is the user who makes the conversation incoherent, by messages that no
assistant could make sense of; then the value does not count.`;

export const coherence = likertType({
  type: 'coherence',
  summary: "Are the assistant's turns coherent, 1 to 5?",
  docs: {
    asks: "The judge rates how well the assistant's turns follow from one another and from the conversation.",
    score: '(value − 1) ÷ 4. A threshold may use that scale: `threshold: 3`.',
    example: 'value 2: (2 − 1) ÷ 4 = 0.25.',
    skipped: 'if the user makes the conversation incoherent.',
    differences: `
      - Azure's score is the rating, 1 to 5. Here the rating is \`value\`, and the score is (value − 1) ÷ 4.
      - A conversation that the user makes incoherent is skipped.
    `,
    yaml: `
      - type: coherence
        threshold: 3
    `,
  },
  instructions: INSTRUCTIONS,
  exception: 'user_incoherent',
});
