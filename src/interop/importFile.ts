import { basename, dirname, join } from 'node:path';
import { isMapping, mappingOf } from '../core/data/data.ts';
import { LIMITS, readable } from '../core/limits.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { overlayFiles } from '../evalfile/files.ts';
import { entriesIn } from '../evalfile/load.ts';
import { readMessages } from '../messages/readMessages.ts';
import { EVAL_ENDING, evalName } from '../node/paths.ts';
import {
  assignIds,
  evalFileText,
  type Place,
  removeInvalid,
  type WrittenCase,
} from './evalFileText.ts';
import { assertionKeyOf, type RatedConversation, suggestedAssertion } from './feedback.ts';
import { type Found, foundIn } from './found.ts';
import {
  type DataFile,
  fromComment,
  type ImportedFiles,
  stamped,
  stateOf,
} from './importedFiles.ts';
import {
  type Draft,
  type DraftCase,
  type Entry,
  type Importer,
  type ImportRow,
  Ledger,
} from './importer.ts';
import { agentv } from './importers/agentv.ts';
import { azureData } from './importers/azureData.ts';
import { chatLog } from './importers/chatLog.ts';
import { deepevalData } from './importers/deepevalData.ts';
import { langsmithRuns } from './importers/langsmithRuns.ts';
import { mlflowTraces } from './importers/mlflowTraces.ts';
import { openTelemetryTraces } from './importers/openTelemetryTraces.ts';
import { promptfoo } from './importers/promptfoo.ts';
import { promptfooResults } from './importers/promptfooResults.ts';
import { CaseIds } from './mlflow/folder.ts';
import { guessShape, type Shape, shapeHint } from './shape.ts';
import { readSource } from './source.ts';
import { joinTrials } from './trials.ts';

export interface ImportResult extends ImportedFiles {
  /** Absent if the format is unknown. */
  readonly found?: Found;
  readonly cases: number;
  /** The shape that the file seems to have, if its format is unknown. */
  readonly guess?: Shape | undefined;
  /** Entries about everything that was left out, by line. */
  readonly entries: readonly Entry[];
}

/** Maximum number of characters of the cases in an eval file; further cases go into another file. */
const MAX_FILE_LENGTH = LIMITS.evalFile / 4;

/**
 * Converts another tool's file into eval files. Makes no calls and runs nothing.
 *
 * @param path its extension determines how the file is read
 * @param scrubber hides secrets in everything that is imported or reported
 */
export async function importFile(
  path: string,
  text: string,
  place: Place,
  scrubber: Scrubber,
  shape: Shape = {},
): Promise<ImportResult> {
  const ledger = new Ledger(scrubber);
  const read = readDraft(path, text, scrubber, ledger, shape);
  if ('guess' in read) {
    return { texts: [], cases: 0, data: [], rated: [], entries: ledger.entries, ...read };
  }
  const { importer, draft } = read;
  const found = foundIn(draft, importer, ledger);
  const cases = assignIds(joinTrials(limitCases(draft, ledger)), importer.tag);
  const data = cases.flatMap((one) => dataOf(one, place.path) ?? []);
  const dataTexts = new Map(data.map((one) => [join(dirname(place.path), one.path), one.text]));
  const files = overlayFiles(place.files, (one) => dataTexts.get(one));
  const about = headerOf(path, draft, importer);
  const texts: string[] = [];
  const kept = new Map<string, WrittenCase>();
  for (const some of inFiles(cases.map((one) => withData(one, data)))) {
    const settled = await removeInvalid(about, some, { ...place, files }, ledger);
    if (settled.cases.length === 0) continue;
    const own = data.filter((one) => settled.cases.some(({ id }) => id === one.case));
    texts.push(stamped(settled.text, own));
    for (const one of settled.cases) kept.set(one.id, one);
  }
  const count = kept.size;
  if (count === 0 && !ledger.entries.some(({ broken }) => broken)) {
    ledger.broken(1, `The file has no conversations (${importer.name}).`);
  }
  return {
    found,
    texts,
    cases: count,
    data: data.filter((one) => kept.has(one.case)),
    rated: [...kept.values()].flatMap(ratedIn),
    entries: ledger.entries,
  };
}

/** The file with the conversations of a case that has several. @param evalFile absolute */
function dataOf({ id, trials }: WrittenCase, evalFile: string): DataFile | undefined {
  if (!trials) return undefined;
  const lines = trials.map(({ line }) => `${JSON.stringify(line)}\n`);
  const path = `${evalName(evalFile)}.trials/${new CaseIds().idFor(id)}.jsonl`;
  return { case: id, path, text: lines.join('') };
}

function withData(one: WrittenCase, data: readonly DataFile[]): WrittenCase {
  const path = data.find((file) => file.case === one.id)?.path;
  return path === undefined ? one : { ...one, keys: { ...one.keys, transcripts: path } };
}

function ratedIn({ id, keys, feedback = [], trials }: WrittenCase): RatedConversation[] {
  const conversations = trials
    ? trials.map(({ name, line, ...one }) => ({ ...one, variant: name, list: line.messages }))
    : [{ feedback, variant: undefined, list: keys.transcript }];
  return conversations.flatMap(({ list, ...one }) => {
    const messages = readMessages(list).messages.map(({ message }) => message);
    return one.feedback.length > 0 && messages.length > 0 ? [{ case: id, messages, ...one }] : [];
  });
}

/**
 * Reads a file with its importer. Without one, adds a ledger entry and returns the shape that the file seems to have.
 *
 * @param scrubber hides secrets after parsing, because the text may contain them in an escaped form
 */
export function readDraft(
  path: string,
  text: string,
  scrubber: Scrubber,
  ledger: Ledger,
  shape: Shape = {},
) {
  const { rows, roots } = readSource(path, text, scrubber, ledger, shape);
  const importer = importerOf(rows);
  if (!importer) {
    const [first] = rows;
    const guess = guessShape(roots[0]) ?? guessShape(roots);
    if (!first && ledger.entries.length > 0) return { guess };
    const found = first ? shapeOf(first.value) : 'nothing';
    const at = shape.path === undefined ? '' : ` at ${shape.path}`;
    const known = importers.map(({ name, takes }) => `${name} (${takes})`).join(', ');
    ledger.broken(
      first?.line ?? 1,
      `Unrecognized format: found ${found}${at}. ${guess ? shapeHint(guess) : ''}Turnlight imports: ${known}.`,
    );
    return { guess };
  }
  const matching = rows.filter(({ line, value }) => {
    const isMatch = importer.matches(value);
    if (!isMatch) ledger.broken(line, `Expected ${importer.name}, found ${shapeOf(value)}.`);
    return isMatch;
  });
  // Importers parse JSON in strings, which can reveal further secrets.
  return { importer, draft: scrubber.data(importer.read(matching, ledger)) };
}

/** The importer that matches the most rows; the first one if there is a tie. */
function importerOf(rows: readonly ImportRow[]): Importer | undefined {
  const known = importers.map((importer) => ({
    importer,
    count: rows.filter(({ value }) => importer.matches(value)).length,
  }));
  const best = Math.max(...known.map(({ count }) => count));
  return best === 0 ? undefined : known.find(({ count }) => count === best)?.importer;
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return "a list that isn't a conversation";
  if (!isMapping(value)) return value === null ? 'null' : `a ${typeof value}`;
  const keys = Object.keys(value).slice(0, 6);
  if (keys.length === 0) return 'an empty mapping';
  return `a mapping with ${keys.map((key) => `\`${visibleLine(key, 40)}\``).join(', ')}`;
}

function limitCases({ cases, head = {} }: Draft, ledger: Ledger): Draft['cases'] {
  const copies = entriesIn(mappingOf(head.defaults).assert);
  const most = Math.floor(LIMITS.assertions / Math.max(copies, 1));
  const limit = Math.min(LIMITS.importedCases, most);
  const beyond = cases[limit];
  if (!beyond) return cases;
  const why = most === limit ? `, because each has ${readable(copies)} default assertions` : '';
  ledger.broken(
    beyond.line,
    `Only the first ${readable(limit)} conversations are imported${why}. Split the file.`,
  );
  return cases.slice(0, limit);
}

function headerOf(
  path: string,
  { cases, head = {}, comments = [] }: Draft,
  { name, tag }: Importer,
) {
  const defaults = { ...mappingOf(head.defaults), tags: [tag] };
  return {
    head: { ...head, defaults },
    comments: [fromComment(path, name), ...comments, ...feedbackComments(cases)],
  };
}

/** Comments with assertions to define, so that a judge can be compared with the feedback. */
function feedbackComments(cases: readonly DraftCase[]): string[] {
  const names = cases.flatMap(({ feedback = [] }) => feedback.map(({ name }) => name));
  const keys = [...new Set(names.map(assertionKeyOf))].slice(0, MAX_FEEDBACK);
  if (keys.length === 0) return [];
  const about =
    'The labels contain the feedback from the file. Define its assertions to compare a judge with it:';
  return [about, ...keys.map((key) => `- ${suggestedAssertion(key)}`)];
}

/** Maximum number of assertions to suggest for feedback. */
const MAX_FEEDBACK = 12;

function inFiles(cases: readonly WrittenCase[]): WrittenCase[][] {
  const files: WrittenCase[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const one of cases) {
    const own = evalFileText({}, [one]).length;
    if (size + own > MAX_FILE_LENGTH) {
      files.push([]);
      size = 0;
    }
    files.at(-1)?.push(one);
    size += own;
  }
  return files;
}

/** All importers. If several match equally well, the first of them reads the file. */
export const importers: readonly Importer[] = [
  openTelemetryTraces,
  mlflowTraces,
  langsmithRuns,
  agentv,
  promptfooResults,
  promptfoo,
  deepevalData,
  azureData,
  chatLog,
];

const ENDINGS = /(\.eval)?\.(jsonl|ndjson|json|ya?ml|csv|md|txt)$/i;
const EVAL_FILE = new RegExp(EVAL_ENDING, 'i');

/**
 * The paths of an imported file's eval files: next to it and named after it (`traces.eval.yaml`), but never the file's
 * own path.
 *
 * @param path absolute
 * @param given the first file's absolute path, if the user chose one
 */
export function evalFilePaths(path: string, count: number, given?: string): string[] {
  const name = basename(path).replace(ENDINGS, '') || 'imported';
  const own = EVAL_FILE.test(path) ? `${name}.imported` : name;
  const first = (given ?? join(dirname(path), own)).replace(EVAL_FILE, '');
  return Array.from({ length: count }, (_one, index) =>
    index === 0 ? `${first}.eval.yaml` : `${first}-${index + 1}.eval.yaml`,
  );
}

/**
 * The eval files of earlier imports of the same file that the import doesn't replace, such as `traces-2.eval.yaml`.
 *
 * @param count the number of eval files that the import writes now @param given see `evalFilePaths`
 */
export async function leftoverPaths(
  path: string,
  count: number,
  files: Place['files'],
  given?: string,
): Promise<string[]> {
  const left: string[] = [];
  while (count > 0) {
    const [next = ''] = evalFilePaths(path, count + left.length + 1, given).slice(-1);
    const state = await stateOf([next], path, files);
    if (state === 'absent' || state === 'foreign') break;
    left.push(next);
  }
  return left;
}
