import * as z from 'zod';
import type { DeterministicType } from '../../src/assertions/contract.ts';

/**
 * An assertion type that no other file knows. It refers to a tool, a model, and a file, and uses a text from the case.
 */
export const toneCheck: DeterministicType = {
  kind: 'deterministic',
  type: 'tone-check',
  summary: 'Checks the tone of what is said behind a call.',
  docs: { asks: 'Checks the tone.', score: '1.', example: '1.', yaml: '- type: tone-check' },
  params: z.strictObject({
    behind: z.string().min(1).meta({ description: 'The call.', refersTo: 'tool' }),
    rater: z.unknown().meta({ description: 'The model that rates.', refersTo: 'model' }),
    words: z.string().optional().meta({ description: 'A list of words.', file: 'transcript' }),
    wanted: z.string().optional().meta({ description: 'What is wanted.' }),
  }),
  defaultThreshold: 1,
  side: 'assistant',
  check: () => ({
    kind: 'scored',
    score: 1,
    rationale: '',
    turns: [],
    hits: [],
    misses: [],
    details: {},
  }),
};
