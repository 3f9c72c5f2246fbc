import { BYTES_PER_VALUE, LIMITS, readable } from '../../src/core/limits.ts';
import { table } from './table.ts';

export function limits(): string {
  const rows = Object.entries(LIMIT_WORDS).map(([name, words]) => [
    words,
    readable(LIMITS[name as keyof typeof LIMITS]),
  ]);
  return table(['limit on', 'at most'], rows);
}

/** Descriptions for the reference page. */
export const LIMIT_WORDS: Readonly<Record<keyof typeof LIMITS, string>> = {
  evalFile:
    'Bytes of an eval file, an included file, a `matrix` file, or a messages file in the editor',
  included: 'Bytes of all files that a suite includes',
  prompt: 'Bytes of a judge prompt',
  transcript: 'Bytes of a transcript',
  dataSet: 'Bytes of a file in `transcripts`',
  dataLines: 'Lines of a JSON Lines file, including empty ones',
  variants:
    'Variants of a case: conversations in `transcripts`, combinations of a `matrix`, variants of its target',
  combinations: 'Combinations of all matrices of a suite',
  targetVariants: 'Variants of a target, in `variants`',
  variantName: 'Characters of the name of such a variant',
  assertions: 'Assertions in `defaults`, times the cases of a suite',
  filled: 'Characters of a text after its variables (`{{name}}`) are replaced',
  filledCase:
    'Characters of all such texts in a case or variant, in all questions about a conversation, or in the variables of a request to an `http` target',
  filledSuite: 'Characters of all such texts in a suite; variants are counted one at a time',
  includes: 'Files that a suite includes',
  caseId: 'Characters of the id of a case, in an eval file and in a record',
  image: 'Bytes of an image in a message',
  images: 'Images in a conversation',
  allImages: 'Bytes of all images in a conversation',
  reportImages: "Bytes of all images in an HTML report; further images aren't shown",
  tokens: 'YAML tokens of a file; a key with its value is about eight',
  depth: 'Levels of nested lists and mappings, in YAML and JSON',
  syntaxErrors: 'Syntax errors in a file; with more, none of it is read',
  problems: 'Problems reported per file; the last one shows the number of others',
  record: "Bytes of a record; the rest isn't read",
  recordLine: 'Bytes per line of a record',
  recordValues: `Keys of mappings and entries of lists in a record, in addition to one per ${BYTES_PER_VALUE} bytes; the rest isn't read`,
  recordingValues: 'Keys of mappings and entries of lists in a recording; a larger one is refused',
  runLine: "Bytes of a record's first line; a file with a longer one isn't treated as a run",
  values:
    "Keys of mappings and entries of lists in a line of a record or data set, or in an endpoint's answer",
  recordCases: 'Cases in a run and in its record; each repetition counts',
  records: 'Records searched for the last result of a case, newest first',
  dotenv: 'Bytes of the `--dotenv` file',
  dotenvVariables: 'Variables in that file',
  labels: "Bytes of a person's labels for an eval file; the rest isn't read",
  kept: 'Bytes of stored `g-eval` steps; steps beyond that are derived again',
  cache: 'Bytes of all answers in the cache; the least recently used are deleted first',
  cachedAnswer: "Bytes of an answer in the cache; longer answers aren't cached",
  mlflowAnswer: "Bytes of an MLflow server's answer",
  mlflowTraces: 'Traces in an experiment for `turnlight mlflow pull`',
  reply: "Characters of a target's reply, or of the output of a script assertion's program",
  replies: "Characters of a target's replies in a conversation",
  response: "Bytes of an endpoint's answer to a request",
  events: "Events in an endpoint's streamed answer",
  answer: "Characters of a judge's answer",
  unusableAnswer: "Bytes of a judge's unusable answer that a record stores",
  answerEntries: "Entries of all lists together in a judge's answer",
  comparedWord: 'Characters of an unknown word for which "did you mean" suggests a similar one',
  comparedWords: 'Names that an unknown word is compared with',
  imported: 'Bytes of a file that `turnlight import` reads',
  importedCommas: "Commas in such a file (roughly its number of values); doesn't apply to YAML",
  importedRows: 'Rows (lines or list items) of an imported file',
  importedCases: 'Conversations that become cases in one import',
  importedExchanges: 'Requests to models in a conversation that is imported',
  importedComparisons:
    'Messages to compare in a file that is imported, to find out which requests to models continue which; one conversation may use half of what is left',
  traceRequest: 'Bytes of a request that exports spans',
  turnSpans: 'Spans of a turn',
  turnTrace: 'Characters of these spans',
  inboxConversations: 'Conversations that *Receive Traces* keeps; the oldest are dropped first',
  inboxSpans: 'Spans of these conversations together',
  inboxTrace: 'Characters of these spans',
  work: 'Milliseconds of work per editor request, such as completion, after the file is read',
};
