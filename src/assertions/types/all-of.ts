import { groupType } from '../shared/nested.ts';

export const allOf = groupType({
  type: 'all-of',
  summary: 'All of the assertions under it must pass.',
  docs: {
    asks: 'Passes when every assertion under `assert` passes; with a lower `threshold`, when those that pass weigh enough. One that is skipped does not count, one that could not be judged makes the whole an error, one that is `required` and fails fails the case.',
    score: 'Σ weight of those that pass ÷ Σ weight.',
    example: 'three of weight 1, 1 and 2, the last fails: 2 ÷ 4 = 0.5.',
    skipped: 'where all of them are skipped.',
    yaml: `
      - type: all-of
        name: Refund is handled
        assert:
          - type: tool-called
            name: refund
          - The agent says when the money arrives.
    `,
  },
  defaultThreshold: 1,
  worth: (weights) => weights.reduce((sum, weight) => sum + weight, 0),
});
