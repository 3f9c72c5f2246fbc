import type { Stats } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { groupBy, shallowJson } from '../core/data/data.ts';
import { fitting } from '../core/data/listOf.ts';
import { LIMITS } from '../core/limits.ts';
import { rootOfRecord } from '../core/record/recordPaths.ts';
import {
  type EndLine,
  endLineSchema,
  type RunLine,
  runDuration,
} from '../core/record/runRecord.ts';
import type { Status } from '../core/verdict.ts';
import { openRegular } from '../disk/regularFile.ts';
import { recordsAt } from './append.ts';
import { RecordCount } from './caseGlance.ts';
import { isClaimed } from './claim.ts';
import { runLineOf } from './earlierRuns.ts';
import { newestFirst, runIdOf } from './recordNames.ts';
import { noteOf, type RunNote, readNote, writeNote } from './runNotes.ts';

/** How a run went, as a list of runs tells it. */
export interface ListedRun {
  readonly id: string;
  /** One at each root that its suites have, absolute. */
  readonly records: readonly string[];
  readonly run: RunLine;
  readonly note: RunNote;
  /** `unfinished`: it was killed. */
  readonly state: 'running' | 'finished' | 'cancelled' | 'stopped' | 'unfinished';
  /** How many cases ended with each status, by the repetitions that finished. */
  readonly counts: Readonly<Record<Status, number>>;
  /** Null if it is not known. */
  readonly cost: number | null;
  /** Milliseconds; undefined until it has ended. */
  readonly duration: number | undefined;
}

/** What one record tells of its run. */
type Piece = Omit<ListedRun, 'id' | 'records' | 'note'> & { readonly record: string };

/**
 * The runs at some roots. Of a record that has ended the first and the last line are read, once; of another
 * one what is new.
 */
export class RunList {
  readonly #ended = new Map<string, { readonly stamp: string; readonly piece: Piece }>();
  readonly #counted = new Map<string, RecordCount>();

  /** The pinned ones first, and of each kind the newest. @param roots absolute */
  async runs(roots: readonly string[]): Promise<ListedRun[]> {
    const found = (await Promise.all(roots.map(recordsAt))).flat();
    const records = newestFirst(found).slice(0, LIMITS.records);
    for (const known of [...this.#ended.keys(), ...this.#counted.keys()]) {
      if (!records.includes(known)) this.#forget(known);
    }
    const pieces = await Promise.all(records.map((record) => this.#pieceOf(record)));
    const byRun = groupBy(
      pieces.filter((piece) => piece !== undefined),
      ({ record }) => runIdOf(record),
    );
    const runs = await Promise.all([...byRun].map(([id, own]) => together(id, own)));
    return [...runs.filter(({ note }) => note.pinned), ...runs.filter(({ note }) => !note.pinned)];
  }

  async #pieceOf(record: string): Promise<Piece | undefined> {
    const stats = await lstat(record).catch(() => undefined);
    if (!stats?.isFile()) return undefined;
    const stamp = `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
    const known = this.#ended.get(record);
    if (known?.stamp === stamp) return known.piece;
    const root = rootOfRecord(record);
    const run = await runLineOf(record, root);
    if (!run) return undefined;
    const end = await lastLine(record, stats);
    if (!end?.usage) return this.#readWhole(record, run);
    const piece = endedPiece(record, run, end, end.usage.cost);
    this.#ended.set(record, { stamp, piece });
    this.#counted.delete(record);
    return piece;
  }

  /** It goes on, was killed, or is of an earlier version. */
  async #readWhole(record: string, run: RunLine): Promise<Piece> {
    const counted = this.#counted.get(record) ?? new RecordCount(record);
    this.#counted.set(record, counted);
    // Asked first: a run that ends meanwhile has written its last line by the time that it is read.
    const goesOn = await isClaimed(dirname(record), runIdOf(record));
    await counted.readOn();
    const { counts, cost, end } = counted;
    if (end) return endedPiece(record, run, end, cost);
    const state = goesOn ? 'running' : 'unfinished';
    return { record, run, state, counts, cost, duration: undefined };
  }

  #forget(record: string): void {
    this.#ended.delete(record);
    this.#counted.delete(record);
  }
}

/** Changes what is noted of a run, at each of its roots. @throws UnwritableError */
export async function changeNote(
  { id, records, note }: Pick<ListedRun, 'id' | 'records' | 'note'>,
  change: RunNote,
): Promise<void> {
  for (const record of records) await writeNote(rootOfRecord(record), id, { ...note, ...change });
}

/** Deletes the records of a run, and what is noted of it. @throws what the system says */
export async function deleteRun({ id, records }: Pick<ListedRun, 'id' | 'records'>): Promise<void> {
  for (const record of records) {
    await rm(record, { force: true });
    await rm(noteOf(rootOfRecord(record), id), { force: true });
  }
}

function endedPiece(record: string, run: RunLine, end: EndLine, cost: number | null): Piece {
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

async function together(id: string, pieces: readonly [Piece, ...Piece[]]): Promise<ListedRun> {
  const [{ run, record }] = pieces;
  const sum = (of: (piece: Piece) => number) => pieces.reduce((all, one) => all + of(one), 0);
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

/** Bytes: an end line has a few hundred. */
const TAIL = 4_000;

/** The last line of a record where that is the end of its run. */
async function lastLine(record: string, { size }: Stats): Promise<EndLine | undefined> {
  const file = await openRegular(record).catch(() => undefined);
  if (!file) return undefined;
  try {
    const length = Math.min(TAIL, size);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const last = buffer.toString().trimEnd().split('\n').at(-1) ?? '';
    return fitting(endLineSchema, shallowJson(last));
  } finally {
    await file.close();
  }
}
