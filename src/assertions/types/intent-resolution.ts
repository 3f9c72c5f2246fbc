import { likertType } from '../shared/likert.ts';

const INSTRUCTIONS = `Question: did the assistant make out what the user was after, and resolve it?

First judge each turn: it passes when it makes the intent clearer or brings its resolution nearer, it fails when it
takes the user for meaning something else or leaves the intent unresolved where it could have been.

Then rate the whole: 5 when the intent was made out and resolved in full; 4 when it was resolved with small gaps; 3 when
it was resolved in part, or a fitting question back is still open; 2 when it was understood and nothing is resolved yet,
or it goes in circles; 1 when it was not made out. An intent that was refused with a good reason counts as resolved. One
turn is rated like many.`;

export const intentResolution = likertType({
  type: 'intent-resolution',
  summary: "Was the user's intent understood and resolved, 1 to 5?",
  docs: {
    asks: "The judge rates how well the user's intent was understood and resolved.",
    score: '(value − 1) ÷ 4. A threshold may use that scale: `threshold: 3`.',
    example: 'value 5: (5 − 1) ÷ 4 = 1.',
    differences: `
      - Azure's score is the rating, 1 to 5. Here the rating is \`value\`, and the score is (value − 1) ÷ 4.
    `,
    yaml: `
      - type: intent-resolution
        threshold: 4
    `,
  },
  instructions: INSTRUCTIONS,
});
