import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { mappingOf } from '../../core/data/data.ts';
import { fitting, listOf } from '../../core/data/listOf.ts';
import type { CaseRef } from '../../core/identity.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import { oneAtATime } from '../../core/oneAtATime.ts';
import { indexInColumn, outcomeAt } from '../../core/record/assertionColumns.ts';
import {
  absolutePath,
  isAtHome,
  mapRunPaths,
  rootOfRecord,
} from '../../core/record/recordPaths.ts';
import {
  caseLineSchema,
  type EndLine,
  endLineSchema,
  type RunLine,
  runLineSchema,
} from '../../core/record/runRecord.ts';
import { isFailure, shownVerdictSchema } from '../../core/verdict.ts';
import type { ResultsTable } from '../../protocol/resultsProtocol.ts';
import { TableBuilder, type TabledExecution } from '../../report/resultsTable.ts';
import { type LinePlace, recordsAt } from '../../store/append.ts';
import { runLineOf } from '../../store/earlierRuns.ts';
import { rootAbove } from '../../store/home.ts';
import { RecordFollower } from '../../store/recordFollower.ts';
import { RecordReader } from '../../store/recordIndex.ts';
import type { Line } from '../../store/recordLines.ts';
import { runIdOf } from '../../store/recordNames.ts';
import type { RecordedLine } from '../../store/searchRecords.ts';
import { asRead, type CaseInFile } from '../testing/readingOrder.ts';

/** Of a line what the table needs: to check the whole of 10,000 would take seconds. */
const tabledSchema = caseLineSchema
  .pick({
    suite: true,
    id: true,
    variant: true,
    repetition: true,
    repetitions: true,
    source: true,
    must_pass: true,
    tags: true,
    status: true,
    score: true,
    threshold: true,
    reason: true,
    usage: true,
    duration: true,
  })
  .extend({ verdicts: listOf(shownVerdictSchema) });

/** An execution, and where its line stands. */
export type CasePlace = CaseRef & RecordedLine;

/** A record of the run, and what was read of it. */
interface OpenRecord {
  path: string;
  readonly root: string;
  follower: RecordFollower;
  /** Whether lines of it were told. */
  begun: boolean;
  run?: RunLine;
  end?: EndLine;
}

/** The results of a run as its records grow: a table of summaries, and where the rest stands. */
export class RunResults {
  readonly #records: readonly OpenRecord[];
  readonly #shownPath: (path: string) => string;
  #builder: TableBuilder;
  #unread = 0;
  /** Where the line of each execution stands, in the order of `executions`. */
  places: (CasePlace & CaseInFile)[] = [];
  /** Raised where a record was written anew. */
  generation = 0;

  /** @param roots of the records, by their paths */
  constructor(roots: ReadonlyMap<string, string>, shownPath: (path: string) => string) {
    this.#records = [...roots].map(([path, root]) => ({
      path,
      root,
      follower: new RecordFollower(path),
      begun: false,
    }));
    this.#shownPath = shownPath;
    this.#builder = new TableBuilder(shownPath);
  }

  get table(): ResultsTable {
    return this.#builder.table;
  }

  /** Where each execution stands in the table. */
  get executions(): readonly TabledExecution[] {
    return this.#builder.executions;
  }

  /** The rows as one reads the files; a record has them as they finished. */
  get order(): number[] {
    const rows = new Map(this.places.map((one, at) => [one, this.executions[at]?.row ?? 0]));
    return [...new Set(asRead(this.places).map((one) => rows.get(one) ?? 0))];
  }

  /**
   * The execution that opens a row: the first one that failed, by an assertion where a column is given, else the
   * first.
   */
  opening(row: number, column: number | undefined): CasePlace | undefined {
    const { cells = [] } = this.table.cases[row] ?? {};
    const own = this.executions.flatMap((one, index) =>
      one.row === row ? [{ ...one, index }] : [],
    );
    const failing = own.find(({ isFailure, from }, at) =>
      column === undefined ? isFailure : this.#fails(column, cells.slice(from, own[at + 1]?.from)),
    );
    const { index } = failing ?? own[0] ?? {};
    return index === undefined ? undefined : this.places[index];
  }

  /** Where the verdict in a column says that something went wrong; else the first turn that it speaks of. */
  async failingTurn(place: CasePlace, column: number | undefined): Promise<number | undefined> {
    const shown = column === undefined ? undefined : this.table.columns[column];
    if (!shown) return undefined;
    const reader = new RecordReader(place.record, this.rootOf(place.record));
    const { verdicts = [] } = (await reader.lineAt(place)) ?? {};
    const names = verdicts.map(({ assertion }) => assertion.name);
    const turns = verdicts[indexInColumn(names, shown)]?.turns;
    return (turns?.find(isFailure) ?? turns?.[0])?.turn;
  }

  /** @param cells of one execution */
  #fails(column: number, cells: readonly number[]): boolean {
    const outcome = outcomeAt(this.table, { cells }, column);
    return outcome !== undefined && isFailure(outcome);
  }

  /** Absolute; others once the run was continued. */
  get records(): string[] {
    return this.#records.map(({ path }) => path);
  }

  /** Of each record that has one. Paths are absolute. */
  get runs(): RunLine[] {
    return this.#records.flatMap(({ run }) => run ?? []);
  }

  get ends(): EndLine[] {
    return this.#records.flatMap(({ end }) => end ?? []);
  }

  rootOf(record: string): string {
    return this.#records.find(({ path }) => path === record)?.root ?? rootOfRecord(record);
  }

  /** What could not be read, each as a sentence. */
  get problems(): string[] {
    const count = this.#unread;
    return [
      ...(this.runs.length === 0 ? ['This file is not the record of a run.'] : []),
      ...(count === 0 ? [] : [`${count} of its lines could not be read.`]),
      ...(this.places.length >= LIMITS.recordCases
        ? [`Only the first ${readable(LIMITS.recordCases)} cases are shown.`]
        : []),
    ];
  }

  /** Reads what is new. */
  readonly readOn = oneAtATime(() => this.#readAll());

  async #readAll(): Promise<void> {
    const { generation } = this;
    for (const record of this.#records) {
      const isThere = await this.#readOne(record);
      if (isThere || !(await follow(record))) continue;
      await this.#readOne(record);
    }
    // Those before the one that was written anew are to be told again.
    if (this.generation !== generation) await this.#readAll();
  }

  #readOne(record: OpenRecord): Promise<boolean> {
    return record.follower.readOn({
      anew: () => this.#forget(record),
      line: (line) => this.#add(line, record),
    });
  }

  /** What counted of a record that was written anew counts no more: all are told again. */
  #forget(record: OpenRecord): void {
    delete record.run;
    delete record.end;
    if (!record.begun) {
      record.begun = true;
      return;
    }
    this.generation += 1;
    this.places = [];
    this.#unread = 0;
    this.#builder = new TableBuilder(this.#shownPath);
    for (const other of this.#records) {
      if (other === record) continue;
      other.follower = new RecordFollower(other.path);
      other.begun = false;
    }
  }

  #add({ value, offset, length, isWhole }: Line, record: OpenRecord): void {
    const { kind } = mappingOf(value);
    if (kind === 'case') this.#addCase(value, record, { offset, length });
    else if (kind === 'run') {
      const run = fitting(runLineSchema, value);
      if (run) record.run = mapRunPaths(run, (path) => absolutePath(record.root, path));
    } else if (kind === 'end') {
      const end = fitting(endLineSchema, value);
      if (end) record.end = end;
    } else if (isWhole) this.#unread += 1;
  }

  #addCase(value: unknown, { path, root }: OpenRecord, place: LinePlace): void {
    const line = fitting(tabledSchema, value);
    if (!line || this.places.length >= LIMITS.recordCases) {
      if (!line) this.#unread += 1;
      return;
    }
    const read = absolutePath(root, line.suite);
    const last = this.places.at(-1)?.suite;
    // Thousands of cases have one suite.
    const suite = read === last ? last : read;
    const { id, variant, repetition, source } = line;
    this.#builder.add({ ...line, suite });
    this.places.push({
      ...{ record: path, suite, id, variant, repetition },
      file: source.path === line.suite ? suite : absolutePath(root, source.path),
      line: source.range.start.line,
      ...place,
    });
  }
}

/** A run that is continued goes on in a record of another name. @returns whether there is one */
export async function follow(
  record: Pick<OpenRecord, 'path' | 'root' | 'follower'>,
): Promise<boolean> {
  if (!isAtHome(record.path)) return false;
  const id = runIdOf(record.path);
  const found = (await recordsAt(record.root)).find((one) => runIdOf(one) === id);
  if (found === undefined || found === record.path) return false;
  record.path = found;
  record.follower = new RecordFollower(found);
  return true;
}

/**
 * The folder that the paths of a record start from. That of one from elsewhere, such as a file of CI, is the
 * first of these that holds its first eval file.
 *
 * @param folders such as those of the workspace, absolute
 */
export async function rootFor(record: string, folders: readonly string[]): Promise<string> {
  if (isAtHome(record)) return rootOfRecord(record);
  const candidates = [...folders, dirname(record)].flatMap((folder) => [
    folder,
    rootAbove(folder) ?? folder,
  ]);
  for (const root of candidates) {
    const run = await runLineOf(record, root);
    if (run?.files.some(({ path }) => existsSync(path))) return root;
  }
  return dirname(record);
}
