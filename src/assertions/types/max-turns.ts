import * as z from 'zod';
import { checkedType } from '../shared/deterministic.ts';
import { citing } from '../shared/entries.ts';

const params = z.strictObject({
  max: z.int().min(1).meta({ description: 'Maximum number of turns, both sides.' }),
});

export const maxTurns = checkedType({
  type: 'max-turns',
  summary: 'The conversation has at most `max` turns.',
  docs: {
    asks: 'Counts the turns of both sides, those of a `history` only with `at: all`. A turn is everything one side says until the other speaks.',
    score: '1 if there are at most `max`, else 0.',
    example: '12 turns with `max: 10`: 0.',
    yaml: `
      - type: max-turns
        max: 10
    `,
  },
  params,
  side: 'both',
  check({ turns, assertion }, { max }) {
    const count = turns.length;
    const within = count <= max;
    const passed = within !== assertion.negate;
    const found = citing(
      count,
      `the conversation has ${count} turns, at most ${max} were asked for`,
    );
    return {
      kind: 'scored',
      score: passed ? 1 : 0,
      value: count,
      rationale: `The conversation has ${count} turns; the limit is ${max}.`,
      turns: [],
      hits: passed ? [found] : [],
      misses: passed ? [] : [found],
      details: { turns: count, max },
    };
  },
});
