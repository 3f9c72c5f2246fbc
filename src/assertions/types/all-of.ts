import { groupType } from '../shared/kinds.ts';

export const allOf = groupType({
  type: 'all-of',
  summary: 'All nested assertions must pass.',
  docs: {
    asks: 'Passes when every assertion under `assert` passes or, with a lower `threshold`, when the weight of those that pass is enough. Skipped assertions do not count; one that could not be judged makes the group an error; a `required` one that fails fails the case.',
    score: 'Σ weight of those that pass ÷ Σ weight.',
    example: 'three of weight 1, 1 and 2, the last fails: 2 ÷ 4 = 0.5.',
    skipped: 'if all nested assertions are skipped.',
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
