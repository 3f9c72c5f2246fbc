import { liveTurnsOf, REPORTS, reportsIn, turnsOf } from '../core/conversation.ts';
import { uniqueBy } from '../core/data/data.ts';
import { type CaseRef, executionKey } from '../core/identity.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { SuiteCase } from '../core/suite.ts';
import { NO_USAGE } from '../core/verdict.ts';
import { skippedVerdict } from '../judge/verdicts.ts';
import { mapCasePaths, namedPath } from '../node/paths.ts';
import type { FoundHome } from '../store/home.ts';
import type { EarlierRun } from '../store/records/list.ts';
import type { LinePlace } from '../store/records/parseLine.ts';
import { RunRecord } from '../store/records/runRecord.ts';
import { findTargetType } from '../targets/registry.ts';
import type { Conversed } from './case/converse.ts';
import type { Ended } from './case/ended.ts';
import type { Stop } from './case/userSide.ts';

/** A record, and its executions by `executionKey`. */
interface OpenRecord {
  readonly record: RunRecord;
  readonly places: ReadonlyMap<string, LinePlace>;
}

/** The conversations of a run that are judged again. Each is read when it is asked for. */
export class StoredCases {
  readonly #homes: ReadonlyMap<string, FoundHome>;
  readonly #records: readonly OpenRecord[];
  readonly count: number;

  private constructor(homes: ReadonlyMap<string, FoundHome>, records: readonly OpenRecord[]) {
    this.#homes = homes;
    this.#records = records;
    this.count = records.reduce((sum, { record }) => sum + record.cases.length, 0);
  }

  /** @param homes of the suites, by their paths */
  static async open(
    { records }: EarlierRun,
    homes: ReadonlyMap<string, FoundHome>,
  ): Promise<StoredCases> {
    const opened = [...records.values()].map(async (path) => {
      const record = new RunRecord(path);
      await record.readNew();
      const first = uniqueBy(record.cases, executionKey);
      return { record, places: new Map(first.map((one) => [executionKey(one), one])) };
    });
    return new StoredCases(homes, await Promise.all(opened));
  }

  has(ref: CaseRef): boolean {
    return this.#find(ref) !== undefined;
  }

  /** Paths are as the eval file was named. */
  async line(ref: CaseRef): Promise<CaseLine | undefined> {
    const found = this.#find(ref);
    const home = this.#homes.get(ref.suite);
    if (!found || !home) return undefined;
    const line = (await found.record.lines([found.place])).get(found.place);
    return line && mapCasePaths(line, (path) => namedPath(home, path));
  }

  #find(ref: CaseRef) {
    const key = executionKey({ ...ref, suite: this.#homes.get(ref.suite)?.path ?? ref.suite });
    for (const { record, places } of this.#records) {
      const place = places.get(key);
      if (place) return { record, place };
    }
    return undefined;
  }
}

/** What was said, as if it had just been said. Nothing is spent for it again. */
export function saidThen(line: CaseLine): Conversed {
  const { conversation, stop_reason, stop_rationale, reason, status, target_usage, failed_turn } =
    line;
  const live = line.origin === 'transcript' ? [] : liveTurnsOf(conversation);
  const stop: Stop | undefined = stop_reason && {
    reason: stop_reason,
    ...(stop_rationale !== undefined && { why: stop_rationale }),
  };
  return {
    conversation,
    replyTurns: live.filter(({ side }) => side === 'assistant').map(({ number }) => number),
    usage: NO_USAGE,
    ...(target_usage && { measured: target_usage }),
    ...reportingThen(line),
    ...(stop && { stop }),
    // It was cut short, and is never judged as if it were whole.
    ...(status === 'error' && reason !== undefined && { error: new Error(reason) }),
    ...(failed_turn && { failedTurn: failed_turn }),
  };
}

/** What could be seen then. Records of earlier versions don't say it: it is what the conversation contains. */
function reportingThen(line: CaseLine): Pick<Conversed, 'reporting'> {
  const { origin, target, reported, conversation, target_usage } = line;
  if (origin === 'transcript') return {};
  const { reportsAll, reportKeys: keys = {} } = findTargetType(target?.type ?? '') ?? {};
  const contained = [...reportsIn(conversation), ...(target_usage ? (['usage'] as const) : [])];
  const known = reportsAll ? REPORTS : contained;
  const reports = reported ? REPORTS.filter((one) => reported.includes(one)) : known;
  return { reporting: { target: target?.name ?? '', reports, isDeclared: false, keys } };
}

/** Of a case that was skipped, or cancelled before it was all said: there is nothing to judge. */
export function unsaidThen(line: CaseLine, { assertions }: SuiteCase): Ended | undefined {
  const { status, reason = '', conversation, stop_reason } = line;
  if (status !== 'skipped') return undefined;
  if (stop_reason !== 'cancelled' && turnsOf(conversation).length > 0) return undefined;
  const verdicts = assertions.map((one) => skippedVerdict(one, 'not-reached', reason));
  const stop = stop_reason && { stop: { reason: stop_reason } };
  return { status, reason, ...stop, conversation, verdicts, usage: NO_USAGE };
}

/** What the conversation was made from, which is not what the file may say now. */
export function madeOf({
  origin,
  target,
  input_hash,
  conversation_id,
}: CaseLine): Pick<CaseLine, 'origin' | 'target' | 'input_hash' | 'conversation_id'> {
  return { origin, target, input_hash, conversation_id };
}
