import { stillAnswers } from '../assertions/questionHash.ts';
import { executionKey } from '../core/identity.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import { passesFalsely } from '../core/scoring.ts';
import { mapCasePaths, namedPath, rootOfRecord } from '../node/paths.ts';
import type { FoundHome } from '../store/home.ts';
import type { EarlierRun } from '../store/records/list.ts';
import type { LinePlace } from '../store/records/parseLine.ts';
import { RunRecord } from '../store/records/runRecord.ts';
import type { RetainedLines } from '../store/records/write.ts';
import { describeCase } from './case/describeCase.ts';
import { openCase } from './case/ended.ts';
import type { PlannedCase } from './caseRunner.ts';
import type { TakenOver } from './events.ts';
import type { Exchanges } from './exchanges.ts';

/** What a resumed run reuses of what it did before. */
export interface Resumed {
  readonly takenOver: TakenOver;
  readonly standing: ReadonlySet<PlannedCase>;
  /** Lines of the records that are kept, by root. */
  readonly retained: ReadonlyMap<string, RetainedLines>;
}

/** Finds out which of the planned executions stand in the records of a run. */
export async function resume(
  { records }: EarlierRun,
  planned: readonly PlannedCase[],
  homes: ReadonlyMap<string, FoundHome>,
  exchanges: Exchanges,
): Promise<Resumed> {
  const byKey = planByRecordedKey(planned, homes);
  const places = new Map<PlannedCase, LinePlace>();
  const edited = new Set<PlannedCase>();
  const retained = new Map<string, RetainedLines>();
  let gone = 0;
  for (const [root, record] of records) {
    const own = new Set<PlannedCase>();
    const read = new RunRecord(record, { root });
    await read.readNew();
    const known = read.cases.filter((one) => byKey.has(executionKey(one)));
    gone += read.cases.length - known.length;
    for await (const { line, place } of read.each(known)) {
      const one = byKey.get(executionKey(line));
      if (!one || wasCut(line)) continue;
      if (await stands(line, one, exchanges)) {
        places.set(one, place);
        own.add(one);
        edited.delete(one);
      } else if (!places.has(one)) edited.add(one);
    }
    retained.set(root, { record, retained: [...own].flatMap((one) => places.get(one) ?? []) });
  }
  const standing = new Set(places.keys());
  const refs = [...edited].map(({ ref }) => ref);
  return { takenOver: { standing: standing.size, edited: refs, gone }, standing, retained };
}

/** The cases of records that were continued, with what was planned of them. */
export async function* standingLines(
  records: readonly string[],
  { standing, retained }: Resumed,
  homes: ReadonlyMap<string, FoundHome>,
): AsyncGenerator<{ readonly one: PlannedCase; readonly line: CaseLine }> {
  const byKey = planByRecordedKey([...standing], homes);
  for (const record of records) {
    const root = rootOfRecord(record);
    if (!retained.has(root)) continue;
    const read = new RunRecord(record, { root });
    await read.readNew();
    const known = read.cases.filter((one) => byKey.has(executionKey(one)));
    for await (const { line } of read.each(known)) {
      const one = byKey.get(executionKey(line));
      const home = one && homes.get(one.suite.path);
      if (home) yield { one, line: mapCasePaths(line, (path) => namedPath(home, path)) };
    }
  }
}

function planByRecordedKey(
  planned: readonly PlannedCase[],
  homes: ReadonlyMap<string, FoundHome>,
): ReadonlyMap<string, PlannedCase> {
  return new Map(
    planned.map((one) => {
      const suite = homes.get(one.suite.path)?.path ?? one.suite.path;
      return [executionKey({ ...one.ref, suite }), one];
    }),
  );
}

async function stands(
  line: CaseLine,
  planned: PlannedCase,
  exchanges: Exchanges,
): Promise<boolean> {
  const { suiteCase, fault } = await openCase(planned.case);
  if (fault || passesFalsely(line)) return false;
  const { input_hash } = await describeCase(suiteCase, exchanges);
  return line.input_hash === input_hash && stillAnswers(line, suiteCase);
}

/** Ended by the end of its run, not by itself. */
function wasCut({ stop_reason, reason = '', verdicts }: CaseLine): boolean {
  return (
    stop_reason === 'cancelled' ||
    reason.includes(OVER_BUDGET) ||
    verdicts.some((verdict) => verdict.reason === OVER_BUDGET)
  );
}

const OVER_BUDGET = 'over-budget';
