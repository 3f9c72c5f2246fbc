import { groupType } from '../shared/kinds.ts';

export const anyOf = groupType({
  type: 'any-of',
  summary: 'At least one nested assertion must pass.',
  docs: {
    asks: 'Passes when an assertion of enough weight under `assert` passes: by default, at least half the greatest weight. Without weights any one is enough. Skipped assertions do not count; one that could not be judged makes the group an error; a `required` one that fails fails the case.',
    score: 'greatest weight that passes ÷ greatest weight of all.',
    example: 'a full answer of weight 1 fails, a referral of weight 0.6 passes: 0.6 ÷ 1 = 0.6.',
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
