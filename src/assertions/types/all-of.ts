import { groupType } from '../shared/kinds.ts';

export const allOf = groupType({
  type: 'all-of',
  summary: 'All nested assertions must pass.',
  docs: {
    asks: "Passes if every assertion under `assert` passes or, with a lower `threshold`, if the passing assertions have enough weight. Skipped assertions don't count. If an assertion couldn't be judged, the group is an error. If a `required` assertion fails, the case fails.",
    score: 'total weight of the assertions that pass ÷ total weight.',
    example: 'three assertions have the weights 1, 1, and 2, and the last one fails: 2 ÷ 4 = 0.5.',
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
