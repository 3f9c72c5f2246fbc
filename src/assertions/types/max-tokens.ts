import * as z from 'zod';
import type { Usage } from '../../core/verdict.ts';
import { usageLimit } from '../shared/deterministic.ts';
import { deterministicType } from '../shared/kinds.ts';

const params = z.strictObject({
  max: z.int().min(1).meta({ description: 'Maximum number of tokens in the whole conversation.' }),
  of: z.enum(['total', 'input', 'output']).default('total').meta({
    description: 'Which tokens to count: `input`, `output`, or both.',
  }),
});

export const maxTokens = deterministicType({
  type: 'max-tokens',
  summary: 'The target uses at most `max` tokens for the conversation.',
  docs: {
    asks: 'Adds up the tokens that the target reported for its replies. For a transcript, or a target that reports none, the result is an error, never a pass.',
    score: '1 if the number of tokens is at most `max`, else 0.',
    example: '900 input tokens and 200 output tokens, with `max: 1000`: 0.',
    yaml: `
      - type: max-tokens
        max: 5000
        of: output
    `,
  },
  params,
  decidedBy: () => undefined,
  sees: () => ['usage'],
  side: 'both',
  check(input, { max, of }) {
    const what = of === 'total' ? 'number of tokens' : `number of ${of} tokens`;
    const remedy =
      'A transcript has none. A `module` target can return `usage`; a `chat` target gets it from its endpoint.';
    const read = ({ input_tokens: read, output_tokens: written }: Usage) => {
      const counts = { total: read + written, input: read, output: written };
      return counts.total === 0 ? undefined : counts[of];
    };
    return usageLimit(input, what, max, read, remedy);
  },
});
