import * as z from 'zod';
import type { Verdict } from './verdict.ts';

/** An assertion as written in its file, for people who read its verdict. */
export const statedAssertionSchema = z.strictObject({
  /** The assertion's key, which identifies it in its case, as in a verdict. */
  key: z.string(),
  /** SHA-256 hash of its question, in hexadecimal, as in a verdict. */
  questionHash: z.string(),
  /** Index in the case's list, as in a verdict. */
  index: z.int().min(0),
  type: z.string(),
  /** May be only the first words of a long criterion. */
  name: z.string(),
  /** Absolute. */
  path: z.string(),
  /** From 1. */
  line: z.int().min(1),
  /** A sentence that describes the type. */
  summary: z.string(),
  /** The type's own keys, such as `value` of `contains`, in the file's order. */
  keys: z.array(z.strictObject({ key: z.string(), text: z.string() })),
  /** Its labels' scores, if its judge chooses from labels. */
  labels: z.record(z.string(), z.number()).optional(),
  get nested() {
    return z.array(statedAssertionSchema);
  },
});

export type StatedAssertion = z.infer<typeof statedAssertionSchema>;

/**
 * The assertion that a verdict belongs to, in the current file: by its key, or by its question if the key has changed.
 * Verdicts of version 1 have neither.
 *
 * @param stated assertions from the same list
 */
export function statedOf(
  { assertion: { key, index, type, name }, question_hash }: Verdict,
  stated: readonly StatedAssertion[],
): StatedAssertion | undefined {
  return key === undefined
    ? stated.find((one) => one.index === index && one.type === type && one.name === name)
    : (stated.find((one) => one.key === key) ??
        stated.find((one) => one.questionHash === question_hash));
}
