import { groupType } from '../shared/kinds.ts';

export const anyOf = groupType({
  type: 'any-of',
  summary: 'At least one nested assertion must pass.',
  docs: {
    asks: "Passes if an assertion under `assert` with enough weight passes: by default, at least half of the greatest weight. Without weights, any passing assertion is enough. Skipped assertions don't count. If an assertion couldn't be judged, the group is an error. If a `required` assertion fails, the case fails.",
    score: 'greatest weight of an assertion that passes ÷ greatest weight of all assertions.',
    example:
      'an assertion for a full answer, with weight 1, fails, and one for a referral, with weight 0.6, passes: 0.6 ÷ 1 = 0.6.',
    skipped: 'if all nested assertions are skipped.',
    yaml: `
      - type: any-of
        assert:
          - type: tool-called
            name: refund
          - type: tool-called
            name: hand_over
    `,
  },
  defaultThreshold: 0.5,
  worth: (weights) => Math.max(0, ...weights),
});
