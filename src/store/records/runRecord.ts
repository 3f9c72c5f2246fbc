import type { Stats } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import { basename } from 'node:path';
import { groupBy, shallowJson } from '../../core/data/data.ts';
import { executionKey } from '../../core/identity.ts';
import { BYTES_PER_VALUE, LIMITS } from '../../core/limits.ts';
import type { CaseLine, EndLine, RunLine } from '../../core/record/runRecord.ts';
import { endedState, type RunState } from '../../core/record/runState.ts';
import { coalesce } from '../../core/scheduling.ts';
import { counted } from '../../core/text/format.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { type JsonLine, readFileLines, readLines } from '../../disk/jsonLines.ts';
import { openRegular } from '../../disk/regularFile.ts';
import { isInDataFolder, rootOfRecord } from '../../node/paths.ts';
import { isBeingWritten, recordsAt, runIdOf } from './files.ts';
import {
  type CaseStats,
  type LinePlace,
  parseCaseLine,
  parseEndLine,
  parseLine,
  parseRunLine,
  parseSummary,
  parseTrueCase,
  type RecordedLine,
  type SummaryLine,
  statsOf,
  TOO_DENSE,
  TOO_LONG,
  TOO_MANY,
  whyUnread,
} from './parseLine.ts';

export interface RecordListener {
  /** Called if the record was rewritten, so that it is read again from the start. */
  readonly onReset?: () => void;
  /** Called for each case. If it throws, reading stops. */
  readonly onCase?: (summary: SummaryLine, stats: CaseStats) => void;
  /**
   * Like `onCase`, with the whole case, which is slower. Cases whose verdicts contradict their status are reported as
   * problems.
   */
  readonly onWholeCase?: (line: CaseLine, stats: CaseStats) => void;
}

export interface RecordOptions extends RecordListener {
  /** The folder that the record's paths are relative to. Default: the folder that contains its `.turnlight`. */
  readonly root?: string | undefined;
  /** Whether to switch to the renamed record if the run is resumed. */
  readonly followsRun?: boolean;
}

/** Number of bytes, at the end of the part that was read, that show whether the file is still the same. */
const SAMPLE = 1_000;

/**
 * Maximum number of lines and bytes that `each` reads at once. Once parsed, they can take up thirty times as much
 * memory.
 */
const AT_ONCE = 50;
const BYTES_AT_ONCE = 1_000_000;

/** Used instead of an inode if nothing has been read yet, or only from another path. */
const UNREAD = 0;
const MOVED = -1;

/** A run's record, read as it grows. Keys from newer versions are ignored, and lines that can't be read are skipped. */
export class RunRecord {
  readonly root: string;
  readonly #options: RecordOptions;
  #path: string;
  #content = new Content();
  #isLocked = false;
  /** Stamp of the file that was last read. */
  #stamp = '';
  #inode = UNREAD;
  /** Number of bytes read, up to the end of a line, and number of lines in those bytes. */
  #read = 0;
  #number = 1;
  #sample = '';

  /** @param path absolute */
  constructor(path: string, options: RecordOptions = {}) {
    this.#path = path;
    this.#options = options;
    this.root = options.root ?? rootOfRecord(path);
  }

  /** Absolute path. With `followsRun`, it changes if the run is resumed. */
  get path(): string {
    return this.#path;
  }

  /** Changes if the file has changed at the next read. */
  get stamp(): string {
    return this.#stamp;
  }

  /** The first line, with absolute paths. Undefined if the file isn't a run record. */
  get run(): RunLine | undefined {
    return this.#content.run;
  }

  /** The last line. Undefined if the run isn't over, or was killed. */
  get end(): EndLine | undefined {
    return this.#content.end;
  }

  /** Cases in record order. If the record is rewritten, this becomes a different list. */
  get cases(): readonly CaseStats[] {
    return this.#content.cases;
  }

  /** Lines that couldn't be read: `line 3: …`. */
  get problems(): readonly string[] {
    return this.#content.problems;
  }

  /** Lines that couldn't be read, including an incomplete last line, and limits that were exceeded. */
  get allProblems(): readonly string[] {
    const { torn, version } = this.#content;
    return this.#content.problemsWith(
      torn === undefined ? undefined : `line ${torn}: ${whyUnread(version)}`,
    );
  }

  /**
   * Why the run's cases may be missing. In interrupted runs, cases and the end of the last line may be missing without
   * damage.
   */
  get damage(): readonly string[] {
    const missing = this.state === 'finished' ? this.missing : 0;
    return [
      ...(this.run || this.#isLocked ? [] : ['its first line is missing']),
      ...this.#content.problemsWith(
        missing > 0 ? `it lacks ${counted(missing, 'case')} of the run` : undefined,
      ),
    ];
  }

  /** Number of planned executions that the record doesn't contain, or that were canceled. */
  get missing(): number {
    const { run, left } = this.#content;
    const cases = this.#content.cases.filter(({ isCanceled }) => !isCanceled);
    // Merged runs may each have planned the same execution.
    const planned = run?.merged_from ? 0 : (run?.planned ?? 0);
    return Math.max(0, planned - new Set(cases.map(executionKey)).size - left);
  }

  /** Number of cases beyond the limit for a record. */
  get left(): number {
    return this.#content.left;
  }

  /** The run's state as of the last read. */
  get state(): RunState {
    const { end } = this;
    if (!end) return this.#isLocked ? 'running' : 'interrupted';
    return endedState(end);
  }

  /** Reads new lines. @returns whether the record exists */
  readonly readNew = coalesce(() => this.#readNew());

  /** The cases at these positions. Cases that no longer exist are left out. */
  async lines<Place extends LinePlace>(places: readonly Place[]): Promise<Map<Place, CaseLine>> {
    const lines = new Map<Place, CaseLine>();
    const file = places.length > 0 && (await openRegular(this.#path).catch(() => undefined));
    if (!file) return lines;
    try {
      for (const place of places) {
        const line = parseCaseLine(await valueAt(file, place), this.root);
        if (line) lines.set(place, line);
      }
    } finally {
      await file.close();
    }
    return lines;
  }

  /** Like `lines`, but with only a few cases in memory at a time. */
  async *each(
    places: readonly LinePlace[],
  ): AsyncGenerator<{ readonly line: CaseLine; readonly place: LinePlace }> {
    let [batch, bytes] = [[] as LinePlace[], 0];
    for (const [index, one] of places.entries()) {
      batch.push(one);
      bytes += one.length;
      if (batch.length < AT_ONCE && bytes < BYTES_AT_ONCE && index + 1 < places.length) continue;
      for (const [place, line] of await this.lines(batch)) yield { line, place };
      [batch, bytes] = [[], 0];
    }
  }

  async #readNew(): Promise<boolean> {
    // Checked before reading: if a run ends after this check, its last line has been written.
    let locked = this.end ? undefined : await isBeingWritten(this.#path);
    let found = await this.#find();
    if (!found) return false;
    if (this.#stamp === stampOf(found)) {
      this.#isLocked = locked ?? false;
      return true;
    }
    if (locked === undefined) {
      locked = await isBeingWritten(this.#path);
      found = (await this.#find()) ?? found;
    }
    const file = await openRegular(this.#path).catch(() => undefined);
    if (!file) return false;
    try {
      if (!(await this.#isSame(file, found))) this.#reset();
      this.#inode = found.ino;
      this.#content.isTooLong = found.size > LIMITS.record;
      await this.#readTo(Math.min(found.size, LIMITS.record), file);
      this.#sample = await this.#sampleOf(file);
      this.#stamp = stampOf(found);
      this.#isLocked = locked;
      return true;
    } finally {
      await file.close();
    }
  }

  /** Finds the record's file, or the file that continues its run. */
  async #find(): Promise<Stats | undefined> {
    const found = await regularStats(this.#path);
    if (found || !this.#options.followsRun || !isInDataFolder(this.#path)) return found;
    const id = runIdOf(this.#path);
    const next = (await recordsAt(this.root)).find((one) => runIdOf(one) === id);
    if (next === undefined) return undefined;
    this.#path = next;
    this.#inode = MOVED;
    return regularStats(next);
  }

  async #isSame(file: FileHandle, { ino, size }: Stats): Promise<boolean> {
    if (ino !== this.#inode || size < this.#read) return false;
    return this.#sample === (await this.#sampleOf(file));
  }

  #reset(): void {
    const isFirst = this.#inode === UNREAD;
    this.#content = new Content();
    this.#read = 0;
    this.#number = 1;
    if (!isFirst) this.#options.onReset?.();
  }

  async #readTo(end: number, file: FileHandle): Promise<void> {
    const content = this.#content;
    content.torn = undefined;
    if (content.isGivenUp) return;
    for await (const lines of readLines(file, this.#read, end, this.#number)) {
      for (const line of lines) if (!content.isGivenUp) this.#add(line);
      if (content.isGivenUp) break;
    }
  }

  #add(line: JsonLine): void {
    const { root } = this;
    const content = this.#content;
    if (line.value === undefined && !line.isComplete) {
      // The rest of the line may still be written.
      content.torn = line.number;
      return;
    }
    this.#read = line.offset + line.length;
    this.#number = line.number;
    content.values += line.values;
    content.isTooDense = content.values > LIMITS.recordValues + this.#read / BYTES_PER_VALUE;
    if (content.isTooDense) return;
    const { onCase, onWholeCase } = this.#options;
    const parseCase = onWholeCase ? parseTrueCase : parseSummary;
    const parsed = parseLine<SummaryLine | CaseLine>(line, parseCase, root, content.version);
    if (typeof parsed === 'string') content.problems.push(`line ${line.number}: ${parsed}`);
    else if (parsed.kind === 'run') content.run ??= parsed.run;
    else if (parsed.kind === 'end') content.end = parsed.end;
    else if (content.cases.length >= LIMITS.recordCases) content.left += 1;
    else {
      const { offset, length } = line;
      const place = { record: this.#path, offset, length, root };
      const stats = statsOf(parsed.one, place, content.cases.at(-1));
      content.cases.push(stats);
      if ('conversation' in parsed.one) onWholeCase?.(parsed.one, stats);
      else onCase?.(parsed.one, stats);
    }
  }

  #sampleOf(file: FileHandle): Promise<string> {
    const length = Math.min(SAMPLE, this.#read);
    return textAt(file, this.#read - length, length);
  }
}

/** The part of a record that has been read. */
class Content {
  run: RunLine | undefined;
  end: EndLine | undefined;
  readonly cases: CaseStats[] = [];
  readonly problems: string[] = [];
  /** The number of an incomplete last line. */
  torn: number | undefined;
  left = 0;
  isTooLong = false;
  /** Number of JSON values in these lines. */
  values = 0;
  isTooDense = false;

  /** Whether reading has stopped for good. */
  get isGivenUp(): boolean {
    return this.isTooDense || this.problems.length >= LIMITS.problems;
  }

  problemsWith(another: string | undefined): string[] {
    return [
      ...(this.isTooLong ? [TOO_LONG] : []),
      ...(this.isTooDense ? [TOO_DENSE] : []),
      ...this.problems,
      ...(another === undefined ? [] : [another]),
      ...(this.left > 0 ? [TOO_MANY] : []),
    ];
  }

  get version(): number {
    return this.run?.version ?? 0;
  }
}

/** The records of one run, one for each root of its suites, read as they grow. */
export class RunReader {
  readonly #listener: RecordListener;
  #records: readonly RunRecord[];
  /** Whether records that this pass has already read were reopened. */
  #isBehind = false;

  /** @param roots root folders, by record path */
  constructor(roots: ReadonlyMap<string, string>, listener: RecordListener = {}) {
    this.#listener = listener;
    this.#records = [...roots].map(([path, root]) => this.#open(path, root));
  }

  get records(): readonly RunRecord[] {
    return this.#records;
  }

  /** Absolute paths. They change if the run is resumed. */
  get paths(): string[] {
    return this.#records.map(({ path }) => path);
  }

  /** The run, with the files of all records. Undefined if none of the files is a run record. */
  get run(): RunLine | undefined {
    const runs = this.#records.flatMap(({ run }) => run ?? []);
    const [first] = runs;
    return first && { ...first, files: runs.flatMap(({ files }) => files) };
  }

  get ends(): EndLine[] {
    return this.#records.flatMap(({ end }) => end ?? []);
  }

  /** Whether each record has its last line. */
  get hasEnded(): boolean {
    return this.#records.every(({ run, end }) => !run || end);
  }

  /** The run's state as of the last read. */
  get state(): RunState {
    const states = this.#records.filter(({ run }) => run).map(({ state }) => state);
    const worst = (['running', 'interrupted'] as const).find((one) => states.includes(one));
    return worst ?? 'finished';
  }

  /** The folder that paths in a record are relative to. */
  rootOf(record: string): string {
    return this.#records.find(({ path }) => path === record)?.root ?? rootOfRecord(record);
  }

  /** The cases at these positions. Cases that no longer exist are left out. */
  async lines<Place extends RecordedLine>(
    places: readonly Place[],
  ): Promise<ReadonlyMap<Place, CaseLine>> {
    const found = new Map<Place, CaseLine>();
    for (const [path, own] of groupBy(places, ({ record }) => record)) {
      const record = this.#records.find((one) => one.path === path);
      for (const [place, line] of (await record?.lines(own)) ?? []) found.set(place, line);
    }
    return found;
  }

  /** Reads new lines. If a record was rewritten, reads all records again. */
  readonly readNew = coalesce(() => this.#readNew());

  async #readNew(): Promise<void> {
    for (let at = 0; at < this.#records.length; at += 1) await this.#records[at]?.readNew();
    if (!this.#isBehind) return;
    this.#isBehind = false;
    await this.#readNew();
  }

  #open(path: string, root: string): RunRecord {
    const record: RunRecord = new RunRecord(path, {
      ...this.#listener,
      ...{ root, followsRun: true },
      onReset: () => this.#reset(record),
    });
    return record;
  }

  #reset(rewritten: RunRecord): void {
    this.#listener.onReset?.();
    if (this.#records[0] !== rewritten) this.#isBehind = true;
    this.#records = this.#records.map((one) =>
      one === rewritten ? one : this.#open(one.path, one.root),
    );
  }
}

/** The damage in records, each with the record's name. */
export function damageOf(records: readonly RunRecord[]): string[] {
  return records.flatMap(({ path, damage }) =>
    damage.map((one) => visibleLine(`${basename(path)}, ${one}`)),
  );
}

/** A note on a run that was made from incomplete records. */
export function incompleteNotes({ run, end }: Pick<RunRecord, 'run' | 'end'>): string[] {
  if (!run || !end?.incomplete) return [];
  return [`Run ${run.id} is based on records that are incomplete or from different commits.`];
}

export function unfinishedText({ id }: RunLine, missing: number): string {
  return `Run ${id} did not finish ${counted(missing, 'case')}.`;
}

/** Why a record may lack results of its run. */
export function gapsOf(record: RunRecord): string[] {
  const { run, state, missing } = record;
  const isCutOff = state !== 'finished' && missing > 0;
  return [
    ...damageOf([record]),
    ...(run && isCutOff ? [unfinishedText(run, missing)] : []),
    ...incompleteNotes(record),
  ];
}

/**
 * Reads a whole record, with absolute paths.
 *
 * @param root see `RecordOptions`
 * @throws if there is no regular file at the path
 */
export async function readRecord(path: string, root?: string) {
  const cases: CaseLine[] = [];
  const record = await readCases(path, root, (line) => cases.push(line));
  const { run, end, allProblems: problems } = record;
  return { path, cases, problems, ...(run && { run }), ...(end && { end }) };
}

/** Reads a record's cases one by one. @throws if there is no regular file at the path, and errors from `take` */
export async function readCases(
  path: string,
  root: string | undefined,
  take: (line: CaseLine, stats: CaseStats) => void,
): Promise<RunRecord> {
  const record = new RunRecord(path, { root, onWholeCase: take });
  if (!(await record.readNew())) throw new Error(`${path} could not be read.`);
  return record;
}

/** A record's first line, with absolute paths. Undefined if the file doesn't start with one. */
export async function readRunLine(record: string, root: string): Promise<RunLine | undefined> {
  try {
    for await (const { value } of readFileLines(record, LIMITS.runLine))
      return parseRunLine(value, root);
  } catch {
    // The record doesn't exist, or isn't a regular file.
  }
  return undefined;
}

/** Maximum number of bytes. An end line takes up a few hundred. */
const TAIL = 4_000;

/** A record's last line. Undefined if it isn't an end line. */
export async function readEndLine(record: string): Promise<EndLine | undefined> {
  const file = await openRegular(record).catch(() => undefined);
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    const length = Math.min(TAIL, size);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const last = buffer.toString().trimEnd().split('\n').at(-1) ?? '';
    return parseEndLine(shallowJson(last));
  } finally {
    await file.close();
  }
}

/** A string that changes if the file changes. */
export function stampOf({ ino, mtimeMs, size }: Stats): string {
  return `${ino} ${mtimeMs} ${size}`;
}

/** @returns undefined if there is no regular file at the path */
export async function regularStats(path: string): Promise<Stats | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() ? found : undefined;
}

async function textAt(file: FileHandle, offset: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
  return buffer.subarray(0, bytesRead).toString('latin1');
}

async function valueAt(file: FileHandle, { offset, length }: LinePlace): Promise<unknown> {
  for await (const [line] of readLines(file, offset, offset + length)) if (line) return line.value;
  return undefined;
}
