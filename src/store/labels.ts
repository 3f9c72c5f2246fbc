import { existsSync } from 'node:fs';
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type * as z from 'zod';
import { parseJson } from '../core/data/data.ts';
import { tryParse } from '../core/data/listOf.ts';
import { errorText } from '../core/errors.ts';
import { LIMITS, readable } from '../core/limits.ts';
import {
  type Label,
  labeledConversationSchema,
  labelSchema,
  labelTime,
  type PlacedLabel,
  sameSubject,
} from '../core/record/label.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { counted } from '../core/text/format.ts';
import { toUnwritableError, UnwritableError } from '../disk/fileErrors.ts';
import { readFileLines, replaceLines } from '../disk/jsonLines.ts';
import { withLock } from '../disk/lock.ts';
import {
  APPEND,
  CREATE,
  isRealFolder,
  makeRealFolder,
  openRegular,
  readRegular,
  writeRegular,
} from '../disk/regularFile.ts';
import { canonicalJson, conversationHash, withoutCircumstances } from '../node/hashes.ts';
import { labelsFolder, personName } from '../node/paths.ts';

/** How messages refer to a label. */
const LABELS = 'The label';

/** An invalid line, a label without a valid time, or a file that couldn't be read. Everything else is still read. */
export interface LabelProblem {
  /** Absolute. */
  readonly path: string;
  /** From 1; absent for a problem with a whole file. */
  readonly line?: number;
  /** A sentence that says what to do. */
  readonly message: string;
}

interface Labels {
  /** Each person's last label for each subject, in the order of the files; includes labels without a valid time. */
  readonly labels: readonly PlacedLabel[];
  readonly problems: readonly LabelProblem[];
}

/** An eval file's labels. @param evalFile absolute */
export async function readLabels(evalFile: string): Promise<Labels> {
  const labels: PlacedLabel[] = [];
  const problems: LabelProblem[] = [];
  let invalid = 0;
  for (const path of await labelFiles(evalFile)) {
    const person = basename(path, '.jsonl');
    const own = new Map<string, TimedLabel>();
    try {
      for await (const { number: line, value, isTooLarge } of readFileLines(path, LIMITS.labels)) {
        const wrong = isTooLarge ? TOO_LARGE : problemIn(value);
        const label = wrong === undefined ? labelSchema.parse(value) : undefined;
        if (label) keepLast(own, { ...label, person, path, line });
        else invalid += 1;
        const message = label && labelTime(label) === undefined ? WRONG_TIME : wrong;
        if (message !== undefined && problems.length < LIMITS.problems) {
          problems.push({ path, line, message });
        }
        if (invalid >= LIMITS.problems) break;
      }
    } catch (error) {
      problems.push({ path, message: errorText(error) });
    }
    for (const { label } of own.values()) labels.push(label);
  }
  return { labels, problems };
}

/** Thrown if labels, or their file, would be too large to be read again. */
export class LabelLimitError extends UnwritableError {
  /** Number of labels that were written. */
  readonly added: number;

  constructor(path: string, added: number, left: number) {
    const line = readable(LIMITS.recordLine);
    const message = ` to ${path}: left out ${counted(left, 'label')}. A label can have ${line} bytes, and the file ${readable(LIMITS.labels)}. Shorten the comments, or remove labels from the file.`;
    super(LABELS, path, 'too-large', message);
    this.added = added;
  }
}

/**
 * Appends a person's labels. Earlier labels for the same subject stay in the file but no longer count.
 * @param evalFile absolute
 * @returns the number of new labels
 * @throws UnwritableError; a LabelLimitError if some labels exceed a limit, after it has written the others
 */
export async function appendLabels(
  evalFile: string,
  person: string,
  labels: readonly Label[],
  scrubber?: Scrubber,
): Promise<number> {
  const folder = labelsFolder(evalFile);
  const path = join(folder, `${personName(person)}.jsonl`);
  try {
    await makeRealFolder(folder);
    return await withLock(labelsLock(path), () => appendTo(path, labels, scrubber));
  } catch (error) {
    throw toUnwritableError(LABELS, path, error);
  }
}

/** Held while labels are added or replaced, because replacing loses what others add meanwhile. */
function labelsLock(path: string): string {
  return `${path}.lock`;
}

async function appendTo(
  path: string,
  labels: readonly Label[],
  scrubber: Scrubber | undefined,
): Promise<number> {
  const { known, isComplete } = await linesOf(path);
  const lines = labels
    .filter((label) => !known.has(identityOf(label)))
    .map((label) => labelSchema.parse(label))
    .map((label) => scrubber?.json(label) ?? JSON.stringify(label));
  if (lines.length === 0) return 0;
  const file = await openRegular(path, APPEND);
  const start = isComplete ? '' : '\n';
  const kept: string[] = [];
  try {
    let size = (await file.stat()).size + start.length;
    for (const line of lines) {
      const length = Buffer.byteLength(line);
      if (length > LIMITS.recordLine || size + length + 1 > LIMITS.labels) continue;
      kept.push(line);
      size += length + 1;
    }
    if (kept.length > 0) {
      await file.writeFile(`${start}${kept.join('\n')}\n`);
      await file.sync();
    }
  } finally {
    await file.close();
  }
  if (kept.length < lines.length) {
    throw new LabelLimitError(path, kept.length, lines.length - kept.length);
  }
  return kept.length;
}

/** Removes a person's labels. @param evalFile absolute @returns the removed labels, in order @throws UnwritableError */
export async function removeLabels(
  evalFile: string,
  person: string,
  isUnwanted: (label: Label) => boolean,
): Promise<Label[]> {
  const path = join(labelsFolder(evalFile), `${personName(person)}.jsonl`);
  if (!existsSync(path)) return [];
  try {
    return await withLock(labelsLock(path), () => removeFrom(path, isUnwanted));
  } catch (error) {
    throw toUnwritableError(LABELS, path, error);
  }
}

/** Maximum number of attempts to remove labels while an editor or git changes the file. */
const MAX_TRIES = 5;

async function removeFrom(path: string, isUnwanted: (label: Label) => boolean): Promise<Label[]> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const before = await lstat(path).catch(() => undefined);
    if (!before) return [];
    const removed: Label[] = [];
    const countInvalid = limitInvalid();
    const isLeft = (line: string) => {
      if (line === '') return true;
      const { data } = labelSchema.safeParse(parseJson(line));
      if (!data) countInvalid();
      if (!data || !isUnwanted(data)) return true;
      removed.push(data);
      return false;
    };
    const text = String(await readRegular(path, LIMITS.labels));
    const left = text.split('\n').filter(isLeft);
    if (removed.length === 0 || (await replaceLines(LABELS, path, before, left))) return removed;
  }
  throw new Error('the file is being written by another program');
}

/** The absolute paths of an eval file's label files, sorted. Links are reported when they are read. */
async function labelFiles(evalFile: string): Promise<string[]> {
  const folder = labelsFolder(evalFile);
  if (!isRealFolder(folder)) return [];
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(folder, name));
}

interface TimedLabel {
  readonly label: PlacedLabel;
  readonly time: number;
}

/**
 * Keeps the newest label, because merging files may change the labels' order. A label without a valid time is as new as
 * the label before it.
 */
function keepLast(own: Map<string, TimedLabel>, label: PlacedLabel): void {
  const key = sameSubject(label);
  const before = own.get(key);
  const time = labelTime(label) ?? before?.time ?? 0;
  if (before && before.time > time) return;
  own.delete(key);
  own.set(key, { label, time });
}

/** A key that is the same for copies of a label. */
function identityOf(label: Label): string {
  return JSON.stringify([labelTime(label) ?? label.at, sameSubject(label)]);
}

/** Counts invalid lines. Throws an Error if there are too many of them to continue reading. */
function limitInvalid(): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count < LIMITS.problems) return;
    throw new Error(`It has ${count} or more lines that are not labels. Fix or remove them.`);
  };
}

/** The existing labels, and whether the last line ends with a line break. */
async function linesOf(path: string) {
  const known = new Set<string>();
  let isComplete = true;
  try {
    const countInvalid = limitInvalid();
    for await (const line of readFileLines(path, LIMITS.labels)) {
      isComplete = line.isComplete;
      const { data } = labelSchema.safeParse(line.value);
      if (data) known.add(identityOf(data));
      else countInvalid();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return { known, isComplete };
}

const WRONG_TIME =
  '`at` is not a time in the past, such as 2026-01-31T12:00:00Z. The label counts until a later line replaces it. Correct the time.';

const TOO_LARGE = `This line is longer than ${readable(LIMITS.recordLine)} bytes. Remove it.`;

/** Why a value isn't a valid label; undefined if it is one. */
function problemIn(value: unknown): string | undefined {
  if (value === undefined) {
    return 'This line is not JSON. Complete or remove it; git conflicts leave such lines too.';
  }
  const [issue] = labelSchema.safeParse(value).error?.issues ?? [];
  if (!issue) return undefined;
  const at = issue.path.join('.');
  return `This is not a label${at === '' ? '' : `: \`${at}\` is wrong`} (${issue.message}). Fix or remove the line.`;
}

/** A labeled conversation, with facts about its case. */
export type LabeledConversation = z.infer<typeof labeledConversationSchema>;

/**
 * Stores a conversation next to its labels, atomically. Everyone who labels it writes the same file.
 * @param evalFile absolute
 * @returns its hash
 * @throws UnwritableError
 */
export async function saveLabeledConversation(
  evalFile: string,
  { conversation, facts }: LabeledConversation,
): Promise<string> {
  const hash = conversationHash(conversation);
  const path = labeledPath(evalFile, hash);
  if (await readLabeledConversation(evalFile, hash)) return hash;
  const temporary = `${path}.${process.pid}.new`;
  try {
    await makeRealFolder(labelsFolder(evalFile));
    await makeRealFolder(join(labelsFolder(evalFile), CONVERSATIONS));
    const stored = { conversation: withoutCircumstances(conversation), facts };
    const sorted = JSON.parse(canonicalJson(stored)) as unknown;
    const text = `${JSON.stringify(sorted, undefined, 2)}\n`;
    if (Buffer.byteLength(text) > LIMITS.transcript) {
      throw new Error(`the conversation has more than ${readable(LIMITS.transcript)} bytes`);
    }
    await rm(temporary, { force: true });
    await writeRegular(temporary, text, CREATE);
    await rename(temporary, path);
    return hash;
  } catch (error) {
    throw toUnwritableError(LABELS, path, error);
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
}

/** Undefined if no conversation has this hash. */
export async function readLabeledConversation(
  evalFile: string,
  hash: string,
): Promise<LabeledConversation | undefined> {
  // A label's hash may be any text.
  if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
  const path = labeledPath(evalFile, hash);
  const bytes = await readRegular(path, LIMITS.transcript).catch(() => undefined);
  const found = bytes && tryParse(labeledConversationSchema, parseJson(String(bytes)));
  return found && conversationHash(found.conversation) === hash ? found : undefined;
}

const CONVERSATIONS = 'conversations';

function labeledPath(evalFile: string, hash: string): string {
  return join(labelsFolder(evalFile), CONVERSATIONS, `${hash}.json`);
}
