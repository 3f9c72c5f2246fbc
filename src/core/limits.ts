/** Limits for input from workspaces, agents, and judges. Text that exceeds one is reported as a single problem. */
export const LIMITS = {
  evalFile: 2_000_000,
  included: 4_000_000,
  prompt: 1_000_000,
  transcript: 20_000_000,
  dataSet: 256_000_000,
  dataLines: 1_000_000,
  variants: 10_000,
  filled: 2_000_000,
  filledCase: 20_000_000,
  filledSuite: 50_000_000,
  includes: 1_000,
  caseId: 200,
  tokens: 500_000,
  depth: 200,
  syntaxErrors: 5_000,
  problems: 500,
  record: 256_000_000,
  recordLine: 32_000_000,
  recordValues: 2_000_000,
  runLine: 4_000_000,
  values: 500_000,
  recordCases: 200_000,
  records: 1_000,
  dotenv: 1_000_000,
  dotenvVariables: 1_000,
  labels: 64_000_000,
  kept: 8_000_000,
  cache: 256_000_000,
  cachedAnswer: 4_000_000,
  mlflowAnswer: 64_000_000,
  mlflowTraces: 200_000,
  reply: 1_000_000,
  replies: 10_000_000,
  response: 16_000_000,
  answer: 500_000,
  unusableAnswer: 32_000,
  answerEntries: 5_000,
  comparedWord: 100,
  comparedWords: 300,
  imported: 20_000_000,
  importedCommas: 800_000,
  importedCases: 1_000,
  importedExchanges: 2_000,
  work: 5_000,
} as const;

/** Minimum average bytes per value in a record; Turnlight's own records have more. */
export const BYTES_PER_VALUE = 20;

/** A whole number with separators: `2,000,000`. The first call of `toLocaleString` is slow. */
export function readable(limit: number): string {
  return String(limit).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
