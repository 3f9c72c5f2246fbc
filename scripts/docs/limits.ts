import { BYTES_PER_VALUE, LIMITS, readable } from '../../src/core/limits.ts';
import { table } from './table.ts';

export function limits(): string {
  const rows = Object.entries(LIMIT_WORDS).map(([name, words]) => [
    words,
    readable(LIMITS[name as keyof typeof LIMITS]),
  ]);
  return table(['of', 'at most'], rows);
}

/** Descriptions for the reference page. */
export const LIMIT_WORDS: Readonly<Record<keyof typeof LIMITS, string>> = {
  evalFile:
    'Bytes of an eval file, of a file that it includes or has as `matrix`, and of a messages file in the editor',
  included: 'Bytes of all files that a suite includes',
  prompt: 'Bytes of a judge prompt',
  transcript: 'Bytes of a transcript',
  dataSet: 'Bytes of a file that `transcripts` names',
  dataLines: 'Lines of a JSON Lines file, empty ones included',
  variants: 'Variants of a case: conversations of `transcripts`, combinations of `matrix`',
  filled: 'Characters of a text with its variables (`{{name}}`) filled in',
  filledCase:
    'Characters of all such texts of a case or variant, of all questions about a conversation, and of the variables of a request of an `http` target',
  filledSuite: 'Characters of all such texts of a suite; variants count one at a time',
  includes: 'Files that a suite includes',
  caseId: 'Characters of the id of a case, in an eval file and in a record',
  tokens: 'YAML tokens of a file; a key with its value is about eight',
  depth: 'Lists and mappings within each other, in YAML and JSON',
  syntaxErrors: 'Syntax errors of a file, after which none of it is read',
  problems: 'Problems reported per file; the last one counts the rest',
  record: 'Bytes of a record; what comes after them is not read',
  recordLine: 'Bytes of a line of a record',
  recordValues: `Keys of mappings and entries of lists in a record, besides one per ${BYTES_PER_VALUE} bytes; what comes after them is not read`,
  runLine: "Bytes of a record's first line; a longer one isn't a run",
  values:
    'Keys of mappings and entries of lists in a line of a record or a data set, and in an answer of an endpoint',
  recordCases: 'Cases of a run and of its record; each repetition counts',
  records: 'Records looked into for the last result of a case, the newest first',
  dotenv: 'Bytes of the file of `--dotenv`',
  dotenvVariables: 'Variables in that file',
  labels: "Bytes of a person's labels of an eval file; what comes after them is not read",
  kept: 'Bytes of the answers kept between runs; what comes after them is asked again',
  cache: 'Bytes of all answers in the cache; the least recently used are deleted first',
  cachedAnswer: 'Bytes of an answer in the cache; a longer one is asked for again',
  mlflowAnswer: 'Bytes of an answer of an MLflow server',
  mlflowTraces: 'Traces of an experiment whose sessions are pulled',
  reply: "Characters of a target's reply, and of what a script assertion's program prints",
  replies: "Characters of a target's replies in a conversation",
  response: 'Bytes of what an endpoint sends to one request',
  answer: "Characters of a judge's answer",
  unusableAnswer: "Bytes that a record keeps of a judge's answer that can't be used",
  answerEntries: "Entries of the lists in a judge's answer",
  comparedWord: 'Characters of a word for which "did you mean" looks for a likely one',
  comparedWords: 'Names that it is compared with',
  imported: 'Bytes of a file that `turnlight import` reads',
  importedCommas: 'Commas of such a file, except YAML: about as many as it has values',
  importedCases: 'Conversations that one import makes cases of',
  work: 'Milliseconds of work per editor request, such as completion, after the file is read',
};
