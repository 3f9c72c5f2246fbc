import { Gathered } from '../../analysis/gather.ts';
import { mappingOf } from '../../core/data/data.ts';
import { fitting } from '../../core/data/listOf.ts';
import { type CaseIdentity, caseKey } from '../../core/identity.ts';
import { LIMITS } from '../../core/limits.ts';
import { absolutePath, mapCasePaths, mapRunPaths } from '../../core/record/recordPaths.ts';
import {
  caseLineSchema,
  type EndLine,
  endLineSchema,
  type RunLine,
  runLineSchema,
} from '../../core/record/runRecord.ts';
import type { CaseFacts } from '../../report/comparedTable.ts';
import { RecordFollower } from '../../store/recordFollower.ts';
import type { Line } from '../../store/recordLines.ts';
import { type CasePlace, follow } from '../results/runResults.ts';

interface FollowedRecord {
  path: string;
  readonly root: string;
  follower: RecordFollower;
  run?: RunLine;
  end?: EndLine;
  /** Lines that could not be read. */
  unread: number;
}

/** What is kept of a case besides what is compared. */
interface KeptCase extends CaseFacts {
  /** Of each repetition. */
  readonly places: readonly CasePlace[];
}

/** One of two runs that are compared, as its records grow. */
export class ComparedRun {
  readonly #records: readonly FollowedRecord[];
  /** What a suite is known by in both runs. */
  readonly nameOf: (suite: string) => string;
  #cases = new Map<string, KeptCase>();
  #gathered: Gathered;
  /** Lines that counted. */
  #lines = 0;

  /** @param roots of the records, by their paths */
  constructor(roots: ReadonlyMap<string, string>, nameOf: (suite: string) => string) {
    this.nameOf = nameOf;
    this.#gathered = new Gathered(nameOf);
    this.#records = [...roots].map(([path, root]) => ({
      path,
      root,
      follower: new RecordFollower(path),
      unread: 0,
    }));
  }

  get gathered(): Gathered {
    return this.#gathered;
  }

  /** With the files of all its records; undefined where none is that of a run. */
  get run(): RunLine | undefined {
    const runs = this.#records.flatMap(({ run }) => run ?? []);
    const [first] = runs;
    return first && { ...first, files: runs.flatMap(({ files }) => files) };
  }

  /** Whether it came to its end. */
  get finished(): boolean {
    return this.#records.every(({ end }) => end && !end.cancelled && !end.stopped);
  }

  /** Absolute; others once the run was continued. */
  get records(): string[] {
    return this.#records.map(({ path }) => path);
  }

  get unread(): number {
    return this.#records.reduce((sum, { unread }) => sum + unread, 0);
  }

  /** Changes with whatever is read. */
  get stamp(): string {
    return `${this.#lines} ${this.finished}`;
  }

  rootOf(record: string): string | undefined {
    return this.#records.find(({ path }) => path === record)?.root;
  }

  /** @param identity with the name of the suite */
  of(identity: CaseIdentity): KeptCase | undefined {
    return this.#cases.get(caseKey(identity));
  }

  /** Reads what is new. A record that was written anew is read from its beginning, and all others with it. */
  async readOn(): Promise<void> {
    for (const record of this.#records) {
      const { path } = record;
      if ((await this.#readOne(record)) || !(await follow(record))) continue;
      this.#forget(record, path);
      await this.#readOne(record);
    }
  }

  #readOne(record: FollowedRecord): Promise<boolean> {
    return record.follower.readOn({
      anew: () => this.#forget(record),
      line: (line) => this.#add(line, record),
    });
  }

  /** @param path where its lines were read */
  #forget(record: FollowedRecord, path = record.path): void {
    record.unread = 0;
    if (!record.run) return;
    delete record.end;
    // Of several records of a run, which stand at several roots, each has cases of its own.
    const kept = [...this.#cases].filter(([, { places }]) => places[0]?.record !== path);
    const gathered = new Gathered(this.nameOf);
    for (const [key] of kept) {
      const found = this.#gathered.cases.get(key);
      if (found) gathered.cases.set(key, found);
    }
    this.#cases = new Map(kept);
    this.#gathered = gathered;
  }

  #add({ value, offset, length, isWhole }: Line, record: FollowedRecord): void {
    const { path, root } = record;
    const { kind } = mappingOf(value);
    const absolute = (recorded: string) => absolutePath(root, recorded);
    this.#lines += 1;
    if (kind === 'run') {
      const run = fitting(runLineSchema, value);
      if (run) record.run = mapRunPaths(run, absolute);
    } else if (kind === 'end') {
      const end = fitting(endLineSchema, value);
      if (end) record.end = end;
    } else if (kind === 'case') {
      const line = fitting(caseLineSchema, value);
      if (!line || this.#cases.size >= LIMITS.recordCases) record.unread += 1;
      else this.#addCase(mapCasePaths(line, absolute), { record: path, offset, length });
    } else if (isWhole) record.unread += 1;
  }

  #addCase(
    line: Parameters<Gathered['add']>[0],
    place: Pick<CasePlace, 'record' | 'offset' | 'length'>,
  ): void {
    const { suite, id, variant, repetition, tags, usage, duration } = line;
    this.#gathered.add(line);
    const key = caseKey({ suite: this.nameOf(suite), id, variant });
    const known = this.#cases.get(key);
    const own: CasePlace = { ...place, suite, id, variant, repetition };
    const cost = known?.cost ?? null;
    this.#cases.set(key, {
      places: [...(known?.places ?? []), own],
      tags,
      cost: usage.cost === null ? cost : (cost ?? 0) + usage.cost,
      duration: (known?.duration ?? 0) + duration,
    });
  }
}
