import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { groupBy, parseJson } from '../../core/data/data.ts';
import { tryParse } from '../../core/data/listOf.ts';
import { LIMITS } from '../../core/limits.ts';
import { countCases } from '../../core/record/repetitions.ts';
import { type EndLine, type RunLine, runDuration } from '../../core/record/runRecord.ts';
import { endedState, type RunState } from '../../core/record/runState.ts';
import { sumOfKnown } from '../../core/scoring.ts';
import type { Status } from '../../core/verdict.ts';
import { toUnwritableError } from '../../disk/fileErrors.ts';
import { CREATE, readRegular, realPathOf, writeRegular } from '../../disk/regularFile.ts';
import { rootOfRecord } from '../../node/paths.ts';
import { findExistingDataFolders, isWithin } from '../dataFolder.ts';
import { newestFirst, recordsAt, recordsIn, runIdOf } from './files.ts';
import { RunRecord, readEndLine, readRunLine, regularStats, stampOf } from './runRecord.ts';

/** A recorded run. Paths are absolute. */
export interface EarlierRun {
  /** The run, with the files of all of its records. */
  readonly run: RunLine;
  /** Records by root. */
  readonly records: ReadonlyMap<string, string>;
}

/** The runs that include any of these eval files, newest first. @param evalFiles absolute paths */
export async function* earlierRuns(evalFiles: readonly string[]): AsyncGenerator<EarlierRun> {
  const dataFolders = evalFiles.map(findExistingDataFolders);
  const wanted = new Set(dataFolders.map(({ path }) => path));
  const roots = [...new Set(dataFolders.flatMap(({ existing }) => existing))];
  const records = newestFirst((await Promise.all(roots.map(recordsAt))).flat());
  for (const [, own] of groupBy(records, runIdOf)) {
    const found = await runIn(own);
    if (found?.run.files.some(({ path }) => wanted.has(path))) yield found;
  }
}

/**
 * The run to resume: the last unfinished one, unless a later run finished and ran all cases in its files; otherwise,
 * the last finished one. Runs that judged again and merged runs don't count.
 */
export async function lastRun(evalFiles: readonly string[]): Promise<EarlierRun | undefined> {
  let finished: EarlierRun | undefined;
  for await (const one of earlierRuns(evalFiles)) {
    if (one.run.judged_from !== undefined || one.run.merged_from) continue;
    if (!(await hasFinished(one))) return one;
    finished ??= one;
    if (one.run.files.every(({ cases }) => cases === undefined)) break;
  }
  return finished;
}

/**
 * Finds a run by its records. Ignores records that name files outside of their root.
 *
 * @param rootOf returns the folder that paths in a record are relative to
 */
export async function runIn(
  records: readonly string[],
  rootOf: (record: string) => string = rootOfRecord,
): Promise<EarlierRun | undefined> {
  const byRoot = new Map<string, string>();
  let run: RunLine | undefined;
  for (const record of records) {
    const root = rootOf(record);
    const line = byRoot.has(root) ? undefined : await readRunLine(record, root);
    const realRoot = realPathOf(root);
    if (!line || line.files.some((file) => !isWithin(realRoot, realPathOf(file.path)))) continue;
    byRoot.set(root, record);
    run = run ? { ...run, files: [...run.files, ...line.files] } : line;
  }
  return run && { run, records: byRoot };
}

/** Whether a run ended within its cost limit, wasn't killed or canceled, and wasn't made from incomplete records. */
export async function hasFinished({ records }: EarlierRun): Promise<boolean> {
  for (const path of records.values()) {
    const record = new RunRecord(path);
    const end = (await readEndLine(path)) ?? ((await record.readNew()) ? record.end : undefined);
    if (!end || endedState(end) !== 'finished') return false;
  }
  return true;
}

export interface ListedRun {
  readonly id: string;
  /** Absolute paths of its records, one for each root of its suites. */
  readonly records: readonly string[];
  readonly run: RunLine;
  readonly note: RunNote;
  /** `unfinished`: it was killed, or made from incomplete records; `stopped`: it reached its cost limit. */
  readonly state: Exclude<RunState, 'interrupted'> | 'cancelled' | 'stopped' | 'unfinished';
  /** Number of cases by status, based on finished repetitions. */
  readonly counts: Readonly<Record<Status, number>>;
  /** Null if unknown. */
  readonly cost: number | null;
  /** Milliseconds; undefined until the run has ended. */
  readonly duration: number | undefined;
}

/** One record of a run. */
type RecordSummary = Omit<ListedRun, 'id' | 'records' | 'note'> & { readonly record: string };

/**
 * Lists runs. Reads only the first and last lines of a finished record, once; for other records, reads all new lines.
 */
export class RunList {
  readonly #ended = new Map<string, { readonly stamp: string; readonly piece: RecordSummary }>();
  readonly #counted = new Map<string, RunRecord>();

  /** All runs; pinned ones come first, and both groups are sorted newest first. @param roots absolute paths */
  async runs(roots: readonly string[]): Promise<ListedRun[]> {
    const found = (await Promise.all(roots.map(recordsAt))).flat();
    const records = newestFirst(found).slice(0, LIMITS.records);
    for (const known of [...this.#ended.keys(), ...this.#counted.keys()]) {
      if (records.includes(known)) continue;
      this.#ended.delete(known);
      this.#counted.delete(known);
    }
    const pieces = await Promise.all(records.map((record) => this.#pieceOf(record)));
    const byRun = groupBy(
      pieces.filter((piece) => piece !== undefined),
      ({ record }) => runIdOf(record),
    );
    const runs = await Promise.all([...byRun].map(([id, own]) => combinePieces(id, own)));
    return [...runs.filter(({ note }) => note.pinned), ...runs.filter(({ note }) => !note.pinned)];
  }

  async #pieceOf(record: string): Promise<RecordSummary | undefined> {
    const stats = await regularStats(record);
    if (!stats) return undefined;
    const stamp = stampOf(stats);
    const known = this.#ended.get(record);
    if (known?.stamp === stamp) return known.piece;
    const run = await readRunLine(record, rootOfRecord(record));
    if (!run) return undefined;
    const end = await readEndLine(record);
    if (!end?.usage) return this.#readWhole(record, run);
    const piece = endedPiece(record, run, end, end.usage.cost);
    this.#ended.set(record, { stamp, piece });
    this.#counted.delete(record);
    return piece;
  }

  /** Reads the whole record if a run is active, was killed, or is from an earlier version. */
  async #readWhole(path: string, run: RunLine): Promise<RecordSummary> {
    const record = this.#counted.get(path) ?? new RunRecord(path);
    this.#counted.set(path, record);
    await record.readNew();
    const { cases, end } = record;
    const cost = sumOfKnown(cases.map((one) => one.cost));
    if (end) return endedPiece(path, run, end, cost);
    const state = record.state === 'running' ? 'running' : 'unfinished';
    return { record: path, run, state, counts: countCases(cases), cost, duration: undefined };
  }
}

/** Changes a run's note, at each of its roots. @throws UnwritableError */
export async function changeNote(
  { id, records, note }: Pick<ListedRun, 'id' | 'records' | 'note'>,
  change: RunNote,
): Promise<void> {
  for (const record of records) await writeNote(rootOfRecord(record), id, { ...note, ...change });
}

/** Deletes a run's records and notes. @throws a system error */
export async function deleteRun({ id, records }: Pick<ListedRun, 'id' | 'records'>): Promise<void> {
  for (const record of records) {
    await rm(record, { force: true });
    await rm(notePath(rootOfRecord(record), id), { force: true });
  }
}

function endedPiece(
  record: string,
  run: RunLine,
  end: EndLine,
  cost: number | null,
): RecordSummary {
  const whole = end.incomplete ? 'unfinished' : 'finished';
  const state = end.cancelled ? 'cancelled' : end.stopped ? 'stopped' : whole;
  const { counts } = end;
  return { record, run, state, counts, cost, duration: runDuration(run, end.finished) };
}

const WORST_FIRST = ['running', 'unfinished', 'cancelled', 'stopped', 'finished'] as const;

async function combinePieces(
  id: string,
  pieces: readonly [RecordSummary, ...RecordSummary[]],
): Promise<ListedRun> {
  const [{ run, record }] = pieces;
  const sum = (of: (piece: RecordSummary) => number) =>
    pieces.reduce((all, one) => all + of(one), 0);
  const durations = pieces.flatMap(({ duration }) => duration ?? []);
  return {
    id,
    records: pieces.map((one) => one.record),
    run: { ...run, files: pieces.flatMap((one) => one.run.files) },
    note: await readNote(rootOfRecord(record), id),
    state: WORST_FIRST.find((one) => pieces.some(({ state }) => state === one)) ?? 'finished',
    counts: {
      pass: sum(({ counts }) => counts.pass),
      fail: sum(({ counts }) => counts.fail),
      error: sum(({ counts }) => counts.error),
      skipped: sum(({ counts }) => counts.skipped),
    },
    cost: pieces.some(({ cost }) => cost !== null) ? sum(({ cost }) => cost ?? 0) : null,
    duration: durations.length === pieces.length ? Math.max(...durations) : undefined,
  };
}

const noteSchema = z.object({
  name: z.string().min(1).optional().catch(undefined),
  pinned: z.boolean().optional().catch(undefined),
});

/** A name that a person gave a run, and whether it is pinned. */
type RunNote = Readonly<z.infer<typeof noteSchema>>;

const MAX_NOTE_BYTES = 10_000;

/** `.turnlight/runs/ID.json`, next to the record. Resuming a run keeps its id, but changes its record's name. */
export function notePath(root: string, id: string): string {
  return join(recordsIn(root), `${id}.json`);
}

/** A run's note; empty if it has none. */
export async function readNote(root: string, id: string): Promise<RunNote> {
  const bytes = await readRegular(notePath(root, id), MAX_NOTE_BYTES).catch(() => Buffer.from(''));
  return tryParse(noteSchema, parseJson(bytes.toString())) ?? {};
}

/** Replaces a run's note, or removes it if the new one is empty. @throws UnwritableError */
async function writeNote(root: string, id: string, note: RunNote): Promise<void> {
  const path = notePath(root, id);
  const { name, pinned } = note;
  try {
    if (name === undefined && !pinned) {
      await rm(path, { force: true });
      return;
    }
    const temporary = `${path}.new`;
    await rm(temporary, { force: true });
    const text = JSON.stringify({ name, ...(pinned && { pinned }) });
    await writeRegular(temporary, `${text}\n`, CREATE);
    await rename(temporary, path);
  } catch (error) {
    throw toUnwritableError("The run's note", path, error);
  }
}
