import * as z from 'zod';
import { allOrNothing, citing, scored } from '../shared/entries.ts';
import { deterministicType } from '../shared/kinds.ts';

const params = z.strictObject({
  max: z.int().min(1).meta({ description: 'Maximum number of turns, counting both sides.' }),
});

export const maxTurns = deterministicType({
  type: 'max-turns',
  summary: 'The conversation has at most `max` turns.',
  docs: {
    asks: 'Counts the turns of both sides. Turns of a `history` count only with `at: all`. A turn is everything that one side says until the other side speaks.',
    score: '1 if there are at most `max` turns, else 0.',
    example: '12 turns with `max: 10`: 0.',
    yaml: `
      - type: max-turns
        max: 10
    `,
  },
  params,
  decidedBy: () => undefined,
  side: 'both',
  check({ turns, assertion }, { max }) {
    const count = turns.length;
    const text = `conversation has ${count} turns; the limit is ${max}`;
    return scored(`The ${text}.`, [], {
      ...allOrNothing(count <= max !== assertion.negate, [citing(count, `the ${text}`)]),
      value: count,
      details: { turns: count, max },
    });
  },
});
