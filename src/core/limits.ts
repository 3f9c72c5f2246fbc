/**
 * Limits on what is read from a workspace, agents, and judges. A text that exceeds one is reported as one problem;
 * everything else works.
 */
export const LIMITS = {
  evalFile: 2_000_000,
  included: 4_000_000,
  prompt: 1_000_000,
  transcript: 20_000_000,
  dataSet: 256_000_000,
  dataLines: 1_000_000,
  variants: 10_000,
  includes: 1_000,
  tokens: 500_000,
  depth: 200,
  syntaxErrors: 5_000,
  problems: 500,
  record: 256_000_000,
  recordLine: 32_000_000,
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
  imported: 100_000_000,
  importedCases: 1_000,
  work: 5_000,
} as const;

/** Descriptions for the reference page. */
export const LIMIT_WORDS: Readonly<Record<keyof typeof LIMITS, string>> = {
  evalFile:
    'Bytes of an eval file, of a file that it includes or has as `matrix`, and of a messages file in the editor',
  included: 'Bytes of all files that a suite includes',
  prompt: 'Bytes of a judge prompt',
  transcript: 'Bytes of a transcript',
  dataSet: 'Bytes of a file that `transcripts` names',
  dataLines: 'Lines of a JSON Lines file, empty ones included',
  variants:
    'Conversations that a case stands for: those of `transcripts`, combinations of `matrix`',
  includes: 'Files that a suite includes',
  tokens: 'YAML tokens of a file; a key with its value is about eight',
  depth: 'Lists and mappings within each other, in YAML and JSON',
  syntaxErrors: 'Syntax errors of a file, after which none of it is read',
  problems: 'Problems told of each file; the last one says how many more there are',
  record: 'Bytes of a record; what comes after them is not read',
  recordLine: 'Bytes of a line of a record',
  runLine: "Bytes of a record's first line; one that is longer is of no run",
  values:
    'Keys of mappings and entries of lists in a line of a record or a data set, and in an answer of an endpoint',
  recordCases: 'Cases that finished in a record',
  records: 'Records looked into for the last result of a case, the newest first',
  dotenv: 'Bytes of the file of `--dotenv`',
  dotenvVariables: 'Variables in that file',
  labels: "Bytes of a person's labels of an eval file; what comes after them is not read",
  kept: 'Bytes of the answers kept between runs; what comes after them is asked again',
  cache: 'Bytes of all answers in the cache; those not used for the longest time go first',
  cachedAnswer: 'Bytes of an answer in the cache; a longer one is asked for again',
  mlflowAnswer: 'Bytes of an answer of an MLflow server',
  mlflowTraces: 'Traces of an experiment of which sessions are pulled',
  reply: "Characters of a target's reply, and of what a script assertion's program prints",
  replies: "Characters of a target's replies in a conversation",
  response: 'Bytes of what an endpoint sends to one request',
  answer: "Characters of a judge's answer",
  unusableAnswer: "Bytes that a record keeps of a judge's answer that can't be used",
  answerEntries: "Entries of the lists in a judge's answer",
  comparedWord: 'Characters of a word for which "did you mean" looks for a likely one',
  comparedWords: 'Names that it is compared with',
  imported: 'Bytes of a file that `turnlight import` reads',
  importedCases: 'Conversations that one import makes cases of',
  work: 'Milliseconds of work for what an editor asks, such as completion, once the file is read',
};

/** A whole number with separators: `2,000,000`. The first call of `toLocaleString` is slow. */
export function readable(limit: number): string {
  return String(limit).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
