import { likertType } from '../shared/likert.ts';

const INSTRUCTIONS = `Question: did the assistant make out what the user was after, and resolve it?

Rate the whole: 5 when the intent was made out, asked back about where it was unclear, and resolved in full; 4 when it
was resolved with small gaps; 3 when it was made out and resolved in part; 2 when it was mostly missed or hardly
resolved; 1 when it was not made out at all. An intent that was refused with a good reason counts as resolved.

Then judge each turn: it passes when it makes the intent clearer or brings its resolution nearer, it fails when it
takes the user for meaning something else or leaves the intent unresolved where it could have been.`;

export const intentResolution = likertType({
  type: 'intent-resolution',
  summary: "Is the user's intent made out and resolved, 1 to 5?",
  docs: {
    asks: "The judge rates how well the user's intent was made out and resolved.",
    score: '(value − 1) ÷ 4. A threshold may be written on the scale: `threshold: 3`.',
    example: 'value 5: (5 − 1) ÷ 4 = 1.',
    yaml: `
      - type: intent-resolution
        threshold: 4
    `,
  },
  instructions: INSTRUCTIONS,
});
