import { basename, dirname, join } from 'node:path';
import { isMapping, mappingOf } from '../core/data/data.ts';
import { LIMITS, readable } from '../core/limits.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { EVAL_ENDING } from '../node/paths.ts';
import {
  assignIds,
  evalFileText,
  type Place,
  removeInvalid,
  type WrittenCase,
} from './evalFileText.ts';
import { type Draft, type Entry, type Importer, Ledger, type Row } from './importer.ts';
import { agentv } from './importers/agentv.ts';
import { azureData } from './importers/azureData.ts';
import { chatLog } from './importers/chatLog.ts';
import { deepevalData } from './importers/deepevalData.ts';
import { mlflowTraces } from './importers/mlflowTraces.ts';
import { openTelemetryTraces } from './importers/openTelemetryTraces.ts';
import { promptfoo } from './importers/promptfoo.ts';
import { rowsOf } from './source.ts';

export interface Imported {
  /** Name of the importer; absent if the format is unknown. */
  readonly importer?: string;
  /** The eval files, in order; just one unless it would be too large. Each passes `turnlight check`. */
  readonly texts: readonly string[];
  readonly cases: number;
  /** What was left out, by line. */
  readonly entries: readonly Entry[];
}

/** Maximum characters per eval file; after that, another one is started. */
const MAX_FILE_LENGTH = LIMITS.evalFile / 4;

/**
 * Converts another tool's file into eval files. Makes no calls and runs nothing.
 *
 * @param path its extension determines how the file is read
 */
export async function importFile(path: string, text: string, place: Place): Promise<Imported> {
  const ledger = new Ledger();
  const read = readDraft(path, text, ledger);
  if (!read) return { texts: [], cases: 0, entries: ledger.entries };
  const { importer, draft } = read;
  const cases = assignIds(limitCases(draft, ledger), importer.tag);
  const about = headerOf(path, draft, importer);
  const texts: string[] = [];
  let count = 0;
  for (const some of inFiles(about, cases)) {
    const settled = await removeInvalid(about, some, place, ledger);
    if (settled.cases.length === 0) continue;
    texts.push(settled.text);
    count += settled.cases.length;
  }
  if (count === 0 && !ledger.entries.some(({ broken }) => broken)) {
    ledger.broken(1, `The file has no conversations (${importer.name}).`);
  }
  return { importer: importer.name, texts, cases: count, entries: ledger.entries };
}

/** Reads a file with its importer; undefined, with an entry in the ledger, if there is none. */
export function readDraft(path: string, text: string, ledger: Ledger) {
  const rows = rowsOf(path, text, ledger);
  const importer = importerOf(rows);
  if (!importer) {
    const [first] = rows;
    const found = first ? shapeOf(first.value) : 'nothing readable';
    const known = importers.map(({ name, takes }) => `${name} (${takes})`).join(', ');
    const message = `Unrecognized format: found ${found}. Turnlight imports: ${known}.`;
    ledger.broken(first?.line ?? 1, message);
    return undefined;
  }
  const matching = rows.filter(({ line, value }) => {
    const isMatch = importer.matches(value);
    if (!isMatch) ledger.broken(line, `Expected ${importer.name}, found ${shapeOf(value)}.`);
    return isMatch;
  });
  return { importer, draft: importer.read(matching, ledger) };
}

/** The importer that matches the most rows; the first one if several do. */
function importerOf(rows: readonly Row[]): Importer | undefined {
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

function limitCases({ cases }: Draft, ledger: Ledger): Draft['cases'] {
  const beyond = cases[LIMITS.importedCases];
  if (!beyond) return cases;
  const limit = readable(LIMITS.importedCases);
  ledger.broken(beyond.line, `Only the first ${limit} conversations are imported. Split the file.`);
  return cases.slice(0, LIMITS.importedCases);
}

function headerOf(path: string, { head = {}, comments = [] }: Draft, { name, tag }: Importer) {
  const defaults = { ...mappingOf(head.defaults), tags: [tag] };
  const from = `Imported from ${basename(path)} (${name}).`;
  return { head: { ...head, defaults }, comments: [from, ...comments] };
}

function inFiles(about: Omit<Draft, 'cases'>, cases: readonly WrittenCase[]): WrittenCase[][] {
  const files: WrittenCase[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const one of cases) {
    const own = evalFileText(about, [one]).length;
    if (size + own > MAX_FILE_LENGTH) {
      files.push([]);
      size = 0;
    }
    files.at(-1)?.push(one);
    size += own;
  }
  return files;
}

/** All importers. If several match equally well, the first one reads the file. */
export const importers: readonly Importer[] = [
  openTelemetryTraces,
  mlflowTraces,
  agentv,
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
 * @param given the path for the first of them, absolute
 */
export function evalFilePaths(path: string, count: number, given?: string): string[] {
  const name = basename(path).replace(ENDINGS, '') || 'imported';
  const own = EVAL_FILE.test(path) ? `${name}.imported` : name;
  const first = (given ?? join(dirname(path), own)).replace(EVAL_FILE, '');
  return Array.from({ length: count }, (_one, index) =>
    index === 0 ? `${first}.eval.yaml` : `${first}-${index + 1}.eval.yaml`,
  );
}
