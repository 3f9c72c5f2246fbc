import * as z from 'zod';
import type { Mapping } from '../../core/data/data.ts';
import { toolSchema } from '../../core/message.ts';

/** Tools as logs have them: with keys of their own besides. */
const tools = z.array(z.union([z.object({ function: toolSchema.strip() }), toolSchema.strip()]));

/** What a conversation of a data set says of itself, in place of what its case says. */
export const factsSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  role: z.string().min(1).optional(),
  topics: z.array(z.string().min(1)).optional(),
  tools: tools.optional(),
  expectations: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  context: z.record(z.string(), z.unknown()).optional(),
  tags: z.array(z.string().min(1)).optional(),
});

export type RecordedFacts = z.infer<typeof factsSchema>;

export function isFact(key: string): boolean {
  return Object.hasOwn(factsSchema.shape, key);
}

/** The facts among the keys of a conversation. Other tools write null for what is not there. */
export function factsIn(value: Mapping): Mapping {
  return Object.fromEntries(
    Object.entries(value).filter(([key, one]) => one !== null && isFact(key)),
  );
}
