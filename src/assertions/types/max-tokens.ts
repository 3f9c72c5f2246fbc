import * as z from 'zod';
import type { DeterministicType } from '../contract.ts';
import { usageLimit } from '../shared/usageLimit.ts';

const params = z.strictObject({
  max: z.int().min(1).meta({ description: 'Most tokens of the whole conversation.' }),
  of: z.enum(['total', 'input', 'output']).default('total').meta({
    description: 'Which tokens count: those read, those written, or both.',
  }),
});

export const maxTokens: DeterministicType = {
  kind: 'deterministic',
  type: 'max-tokens',
  summary: 'The target uses at most `max` tokens for the conversation.',
  docs: {
    asks: 'Adds up the tokens that the target reported for its replies. A transcript, or a target that reports none, cannot be measured: that is an error, never a pass.',
    score: '1 when they are at most `max`, else 0.',
    example: '900 read and 200 written with `max: 1000`: 0.',
    yaml: `
      - type: max-tokens
        max: 5000
        of: output
    `,
  },
  params,
  defaultThreshold: 1,
  side: 'both',
  check(input) {
    const { max, of } = params.parse(input.assertion.params);
    const what = of === 'total' ? 'number of tokens' : `number of ${of} tokens`;
    const remedy =
      'A transcript has none; a `module` target returns `usage`, a `chat` target has it of its endpoint.';
    return usageLimit(
      input,
      what,
      max,
      ({ input_tokens, output_tokens }) => {
        const counts = {
          total: input_tokens + output_tokens,
          input: input_tokens,
          output: output_tokens,
        };
        return counts.total === 0 ? undefined : counts[of];
      },
      remedy,
    );
  },
};
