import { AZURE_RATING, likertType } from '../shared/questions.ts';

const INSTRUCTIONS = `Question: did the assistant understand what the user wanted, and resolve it?

First judge each turn: it passes if it makes the intent clearer or brings its resolution nearer; it fails if it takes the user
to mean something else, or leaves the intent unresolved although it could have resolved it.

Then rate the whole. What the user expressly said they need decides: 5 if it was understood and resolved in full, or refused with
its reason; 4 if resolved with small gaps, or refused with its reason but an obvious alternative goes unnamed; 3 if resolved in part:
a number they named or a main part is missing, or a needed question back is still open; 2 if it was understood but none of it is
there, the answer is wrong, or it goes in circles; 1 if it was not understood. With half of several intents resolved, or fewer: 3 at
most. One turn is rated like many.`;

export const intentResolution = likertType({
  type: 'intent-resolution',
  summary: "How well was the user's intent understood and resolved, from 1 to 5?",
  docs: {
    asks: "The judge rates how well the user's intent was understood and resolved.",
    score: '(value − 1) ÷ 4. A threshold may use that scale: `threshold: 3`.',
    example: 'the rating is 5: (5 − 1) ÷ 4 = 1.',
    differences: AZURE_RATING,
    yaml: `
      - type: intent-resolution
        threshold: 4
    `,
  },
  instructions: INSTRUCTIONS,
});
