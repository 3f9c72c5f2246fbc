import * as z from 'zod';
import { turnsOf } from '../../core/conversation.ts';
import type { DeterministicType } from '../contract.ts';
import { citing } from '../shared/entries.ts';

const params = z.strictObject({
  max: z.int().min(1).meta({ description: 'Most turns of the whole conversation, both sides.' }),
});

export const maxTurns: DeterministicType = {
  kind: 'deterministic',
  type: 'max-turns',
  summary: 'The conversation has at most `max` turns.',
  docs: {
    asks: 'Counts the turns of both sides. A turn is all that one side says until the other speaks.',
    score: '1 when there are at most `max`, else 0.',
    example: '12 turns with `max: 10`: 0.',
    yaml: `
      - type: max-turns
        max: 10
    `,
  },
  params,
  defaultThreshold: 1,
  side: 'both',
  check({ conversation, assertion }) {
    const { max } = params.parse(assertion.params);
    const count = turnsOf(conversation).length;
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
      rationale: `The conversation has ${count} turns; the most is ${max}.`,
      turns: [],
      hits: passed ? [found] : [],
      misses: passed ? [] : [found],
      details: { turns: count, max },
    };
  },
};
