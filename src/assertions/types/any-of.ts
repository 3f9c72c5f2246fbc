import { groupType } from '../shared/nested.ts';

export const anyOf = groupType({
  type: 'any-of',
  summary: 'At least one of the assertions under it must pass.',
  docs: {
    asks: 'Passes when one of the assertions under `assert` passes that weighs enough: at the default threshold at least half of what the weightiest does. Weights say how much each is worth by itself; without them any one is enough. One that is skipped does not count, one that could not be judged makes the whole an error, one that is `required` and fails fails the case.',
    score: 'greatest weight of those that pass ÷ greatest weight of all.',
    example: 'a full answer of weight 1 fails, a referral of weight 0.6 passes: 0.6 ÷ 1 = 0.6.',
    skipped: 'where all of them are skipped.',
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
