import { AZURE_RATING, likertType } from '../shared/questions.ts';

const INSTRUCTIONS = `Question: does the conversation hang together on the assistant's side?

First judge each turn: it passes if it follows from what came before, and fails if it breaks the thread or contradicts an earlier
turn or itself. Compare what the assistant said to the user, not tool results. Leaving something out breaks no thread, and
neither does repetition within one turn.

Then rate the whole: 5 if every turn of the assistant follows from what came before, none contradicts another, and changes of
subject are led over; 4 with small breaks; 3 if the thread is lost for a while, or a turn contradicts another or itself; 2 if it
is lost often, or goes in circles from turn to turn; 1 if most turns do not belong. One turn alone: 5 if it replies to the user's,
3 if it replies in part, 2 if it has the same subject but is no reply, 1 if it is unrelated.

\`user_incoherent\` is true only if it is the user who makes the conversation incoherent, by messages that no
assistant could make sense of; then the value does not count.`;

export const coherence = likertType({
  type: 'coherence',
  summary: "How coherent are the assistant's turns, from 1 to 5?",
  docs: {
    asks: "The judge rates how well the assistant's turns follow from one another and from the conversation.",
    score: '(value − 1) ÷ 4. A threshold may use that scale: `threshold: 3`.',
    example: 'the rating is 2: (2 − 1) ÷ 4 = 0.25.',
    skipped: 'if the user makes the conversation incoherent.',
    differences: `
      ${AZURE_RATING}
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
