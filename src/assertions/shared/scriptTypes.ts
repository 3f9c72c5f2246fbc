import * as z from 'zod';
import { toolSchema } from '../../core/message.ts';

/**
 * What a script assertion's function is given and what it may return. `types/index.d.ts` says the
 * same to those who write one; a test compares the two.
 */
export const scriptInputSchema = z.strictObject({
  case: z.string(),
  conversation: z.strictObject({
    id: z.string().nullable(),
    system: z.array(z.string()),
    turns: z.array(
      z.strictObject({
        number: z.int(),
        side: z.enum(['user', 'assistant']),
        text: z.string(),
        tool_calls: z.array(
          z.strictObject({
            name: z.string(),
            arguments: z.unknown().optional(),
            result: z.string().nullable(),
          }),
        ),
        retrieval_context: z.array(z.string()),
        expected: z.string().nullable(),
        latency: z.number().nullable(),
      }),
    ),
  }),
  chosen: z.array(z.int()),
  role: z.string().nullable(),
  topics: z.array(z.string()),
  tools: z.array(toolSchema),
  expectations: z.record(z.string(), z.unknown()),
  context: z.record(z.string(), z.unknown()),
  options: z.record(z.string(), z.unknown()),
});

const unit = z.number().min(0).max(1);

const skippedSchema = z.strictObject({ skipped: z.string() });

const verdictSchema = z.strictObject({
  score: unit.optional(),
  label: z.string().optional(),
  value: z.union([z.string(), z.number()]).optional(),
  rationale: z.string().optional(),
  turns: z
    .array(
      z.strictObject({
        turn: z.int().min(1),
        score: unit,
        rationale: z.string(),
        evidence: z.string().optional(),
      }),
    )
    .optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});

export const scriptResultSchema = z.union([z.boolean(), unit, skippedSchema, verdictSchema]);

export type ScriptVerdict = z.infer<typeof verdictSchema>;
