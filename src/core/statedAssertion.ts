import * as z from 'zod';
import type { Verdict } from './verdict.ts';

/**
 * An assertion as it stands in its file, for those who read a verdict: `name` alone may be the first
 * words of a long criterion.
 */
export const statedAssertionSchema = z.strictObject({
  /** Its identity in the case, as in a verdict. */
  key: z.string(),
  /** SHA-256 of what it asks, hexadecimal, as in a verdict. */
  questionHash: z.string(),
  /** Place in the case's list, as in a verdict. */
  index: z.int().min(0),
  type: z.string(),
  name: z.string(),
  /** Absolute path of the file that holds it. */
  path: z.string(),
  /** From 1. */
  line: z.int().min(1),
  /** What the type asks, in a sentence. */
  summary: z.string(),
  /** Its own keys, such as `value` of `contains`, in the file's order. */
  keys: z.array(z.strictObject({ key: z.string(), text: z.string() })),
  /** The labels that its judge chooses from, with their scores; absent where there are none. */
  labels: z.record(z.string(), z.number()).optional(),
  get nested() {
    return z.array(statedAssertionSchema);
  },
});

export type StatedAssertion = z.infer<typeof statedAssertionSchema>;

/**
 * What a verdict is of, as its file states it now: by its key or, where that has changed, because it
 * was given a name or another of its type came, by what it asks. Verdicts of version 1 have neither.
 *
 * @param stated those of the same list
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
