import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { groupBy, parseJson } from '../../core/data/data.ts';
import { tryParse } from '../../core/data/listOf.ts';
import { LIMITS } from '../../core/limits.ts';
import { countCases } from '../../core/record/repetitions.ts';
import { type EndLine, type RunLine, runDuration } from '../../core/record/runRecord.ts';
import { sumOfKnown } from '../../core/scoring.ts';
import type { Status } from '../../core/verdict.ts';
import { toUnwritableError } from '../../disk/fileErrors.ts';
import { CREATE, readRegular, realPathOf, writeRegular } from '../../disk/regularFile.ts';
import { rootOfRecord } from '../../node/paths.ts';
import { findExistingDataFolders, isWithin } from '../dataFolder.ts';
import { newestFirst, recordsAt, recordsIn, runIdOf } from './files.ts';
import {
  endedState,
  RunRecord,
  type RunState,
  readEndLine,
  readRunLine,
  regularStats,
  stampOf,
} from './runRecord.ts';

/** A run that began before. Paths are absolute. */
export interface EarlierRun {
  /** With the files of all its records. */
  readonly run: RunLine;
  /** By their roots. */
  readonly records: ReadonlyMap<string, string>;
}

/** The runs of any of these eval files, the newest first. @param evalFiles absolute */
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
 * The run to resume: the last one that did not finish, unless a later one finished and ran all of its files
 * whole; the last one that finished if there is none. Re-judged and merged runs don't count.
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
 * The run that these are the records of. A record comes with a workspace that anyone may have written: one that
 * names files outside of its root is ignored.
 *
 * @param rootOf the folder that the paths of a record start from
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
    if (!line || line.files.some((file) => !isWithin(realPathOf(root), realPathOf(file.path)))) {
      continue;
    }
    byRoot.set(root, record);
    run = run ? { ...run, files: [...run.files, ...line.files] } : line;
  }
  return run && { run, records: byRoot };
}

/** Whether a run came to its end: it was not killed or cancelled, and did not reach its cost limit. */
export async function hasFinished({ records }: EarlierRun): Promise<boolean> {
  for (const path of records.values()) {
    const record = new RunRecord(path);
    const end = (await readEndLine(path)) ?? ((await record.readNew()) ? record.end : undefined);
    if (!end || endedState(end) !== 'finished') return false;
  }
  return true;
}

/** How a run went, as a list of runs shows it. */
export interface ListedRun {
  readonly id: string;
  /** One at each root that its suites have, absolute. */
  readonly records: readonly string[];
  readonly run: RunLine;
  readonly note: RunNote;
  /** In place of `interrupted` how: `unfinished` if it was killed, `stopped` if it reached its cost limit. */
  readonly state: Exclude<RunState, 'interrupted'> | 'cancelled' | 'stopped' | 'unfinished';
  /** How many cases ended with each status, by the repetitions that finished. */
  readonly counts: Readonly<Record<Status, number>>;
  /** Null if it is not known. */
  readonly cost: number | null;
  /** Milliseconds; undefined until it has ended. */
  readonly duration: number | undefined;
}

/** What one record contains of its run. */
type RecordSummary = Omit<ListedRun, 'id' | 'records' | 'note'> & { readonly record: string };

/**
 * The runs at some roots. Only the first and the last line of a finished record are read, once; of others, what is
 * new.
 */
export class RunList {
  readonly #ended = new Map<string, { readonly stamp: string; readonly piece: RecordSummary }>();
  readonly #counted = new Map<string, RunRecord>();

  /** The pinned ones first, and of each kind the newest. @param roots absolute */
  async runs(roots: readonly string[]): Promise<ListedRun[]> {
    const found = (await Promise.all(roots.map(recordsAt))).flat();
    const records = newestFirst(found).slice(0, LIMITS.records);
    for (const known of [...this.#ended.keys(), ...this.#counted.keys()]) {
      if (!records.includes(known)) this.#delete(known);
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

  /** It is running, was killed, or is of an earlier version. */
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

  #delete(record: string): void {
    this.#ended.delete(record);
    this.#counted.delete(record);
  }
}

/** Changes the note on a run, at each of its roots. @throws UnwritableError */
export async function changeNote(
  { id, records, note }: Pick<ListedRun, 'id' | 'records' | 'note'>,
  change: RunNote,
): Promise<void> {
  for (const record of records) await writeNote(rootOfRecord(record), id, { ...note, ...change });
}

/** Deletes the records of a run, and the note on it. @throws a system error */
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
  const state = end.cancelled ? 'cancelled' : end.stopped ? 'stopped' : 'finished';
  const { counts } = end;
  return { record, run, state, counts, cost, duration: runDuration(run, end.finished) };
}

const WORST_STATE: readonly ListedRun['state'][] = [
  'running',
  'unfinished',
  'cancelled',
  'stopped',
  'finished',
];

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
    state: WORST_STATE.find((one) => pieces.some(({ state }) => state === one)) ?? 'finished',
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

/** A person's name and pin for a run. */
interface RunNote {
  readonly name?: string | undefined;
  /** Whether it is listed first. */
  readonly pinned?: boolean | undefined;
}

const MAX_NOTE_BYTES = 10_000;

/** `.turnlight/runs/ID.json`, next to the run's record. A resumed run has another record, and the same id. */
export function notePath(root: string, id: string): string {
  return join(recordsIn(root), `${id}.json`);
}

/** Empty if there is none. */
export async function readNote(root: string, id: string): Promise<RunNote> {
  const bytes = await readRegular(notePath(root, id), MAX_NOTE_BYTES).catch(() => Buffer.from(''));
  return tryParse(noteSchema, parseJson(bytes.toString())) ?? {};
}

/** Replaces the note of a run; an empty one is removed. @throws UnwritableError */
async function writeNote(root: string, id: string, note: RunNote): Promise<void> {
  const path = notePath(root, id);
  const { name, pinned } = note;
  try {
    if (name === undefined && !pinned) {
      await rm(path, { force: true });
      return;
    }
    const beside = `${path}.new`;
    await rm(beside, { force: true });
    const said = { ...(name !== undefined && { name }), ...(pinned && { pinned }) };
    await writeRegular(beside, `${JSON.stringify(said)}\n`, CREATE);
    await rename(beside, path);
  } catch (error) {
    throw toUnwritableError('The note of the run', path, error);
  }
}
