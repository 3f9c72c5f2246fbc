import * as z from 'zod';
import { usageLimit } from '../shared/deterministic.ts';
import { deterministicType } from '../shared/kinds.ts';

const params = z.strictObject({
  max: z
    .number()
    .gt(0)
    .meta({ description: "Maximum cost of the target, in the price's currency." }),
});

export const maxCost = deterministicType({
  type: 'max-cost',
  summary: 'The target costs at most `max` for the conversation.',
  docs: {
    asks: "Adds up the cost of the target's replies. If the price isn't known, the result is an error, never a pass.",
    score: '1 if the cost is at most `max`, else 0.',
    example: 'the replies cost 0.012, with `max: 0.01`: 0.',
    yaml: `
      - type: max-cost
        max: 0.05
    `,
  },
  params,
  decidedBy: () => undefined,
  sees: () => ['usage'],
  side: 'both',
  check(input, { max }) {
    const remedy =
      "Give the target's model a `price`, or let a `module` target return `usage` with a `cost`.";
    return usageLimit(input, 'cost', max, ({ cost }) => cost ?? undefined, remedy);
  },
});
