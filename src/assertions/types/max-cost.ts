import * as z from 'zod';
import type { DeterministicType } from '../contract.ts';
import { usageLimit } from '../shared/usageLimit.ts';

const params = z.strictObject({
  max: z.number().gt(0).meta({ description: "Most cost of the target, in the price's currency." }),
});

export const maxCost: DeterministicType = {
  kind: 'deterministic',
  type: 'max-cost',
  summary: 'The target costs at most `max` for the conversation.',
  docs: {
    asks: "Adds up what the target's replies cost. Where no price is known it cannot be measured: that is an error, never a pass.",
    score: '1 when it is at most `max`, else 0.',
    example: '0.012 spent with `max: 0.01`: 0.',
    yaml: `
      - type: max-cost
        max: 0.05
    `,
  },
  params,
  defaultThreshold: 1,
  side: 'both',
  check(input) {
    const { max } = params.parse(input.assertion.params);
    const remedy =
      "Give the target's model a `price`, or let a `module` target return `usage` with a `cost`.";
    return usageLimit(input, 'cost', max, ({ cost }) => cost ?? undefined, remedy);
  },
};
