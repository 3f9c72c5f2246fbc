/**
 * How much of what stands in a workspace is read. A text that is larger is one problem that names the
 * limit, and nothing else suffers from it. All sizes are in bytes, those of texts in an editor in
 * characters.
 */
export const LIMITS = {
  evalFile: 2_000_000,
  /** Of all files that an eval file includes. */
  included: 4_000_000,
  prompt: 1_000_000,
  transcript: 20_000_000,
  /** YAML tokens: a key with a value is about eight. */
  tokens: 500_000,
  /** Lists and mappings within each other. Nobody writes as many; reading and comparing thousands takes seconds. */
  depth: 200,
  /** Mistakes in the syntax, after which nobody can tell what was meant. */
  syntaxErrors: 5_000,
  /** Problems told of each file. */
  problems: 500,
  /** Bytes of a record and of a line of it, cases that finished in it, and records looked into, the newest first. */
  record: 256_000_000,
  recordLine: 32_000_000,
  recordCases: 200_000,
  records: 1_000,
  /** Characters of the words that "did you mean" compares, and how many it compares with. */
  comparedWord: 100,
  comparedWords: 1_000,
} as const;

/** A number as people read it: `2,000,000`. */
export function readable(limit: number): string {
  return limit.toLocaleString('en-US');
}
