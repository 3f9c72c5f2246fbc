import { existsSync } from 'node:fs';
import { isCurrent } from '../assertions/questionHash.ts';
import {
  addMissingHandoffs,
  imagesIn,
  liveTurnsOf,
  REPORTS,
  reportsIn,
  type Turn,
  textOf,
  toConversation,
  turnsOf,
} from '../core/conversation.ts';
import { groupBy, uniqueBy } from '../core/data/data.ts';
import { type CaseRef, executionKey } from '../core/identity.ts';
import type { Image } from '../core/image.ts';
import { caseName } from '../core/presentation/words.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import { contradictsVerdicts } from '../core/scoring.ts';
import type { Scrubber } from '../core/scrubber.ts';
import type { SuiteCase } from '../core/suite.ts';
import { NO_USAGE, type Verdict } from '../core/verdict.ts';
import { replyTurnsOf } from '../judge/inputs.ts';
import { leavesOf, skippedVerdict } from '../judge/verdicts.ts';
import { conversationHash } from '../node/hashes.ts';
import { mapCasePaths, namedPath, rootOfRecord } from '../node/paths.ts';
import type { DataFolder } from '../store/dataFolder.ts';
import type { EarlierRun } from '../store/records/list.ts';
import type { LinePlace } from '../store/records/parseLine.ts';
import { gapsOf, RunRecord } from '../store/records/runRecord.ts';
import type { RetainedLines } from '../store/records/write.ts';
import { findTargetType } from '../targets/registry.ts';
import { type ExecutionResult, openCase } from './case/caseLine.ts';
import type { ConversationResult, Stop } from './case/converse.ts';
import type { ResumeSummary } from './events.ts';
import type { RunContext } from './runContext.ts';
import type { PlannedCase } from './runOptions.ts';

export type StoredCases = Awaited<ReturnType<typeof openStoredCases>>;

/**
 * Opens a run's conversations, to judge them again. Each one is read when its case starts.
 *
 * @param dataFolders data folders by suite
 */
export async function openStoredCases(
  { records }: EarlierRun,
  dataFolders: ReadonlyMap<string, DataFolder>,
) {
  const opening = [...records].map(async ([root, path]) => {
    const record = new RunRecord(path, { root });
    await record.readNew();
    const first = uniqueBy(record.cases, executionKey);
    return { record, places: new Map(first.map((one) => [executionKey(one), one])) };
  });
  const opened = await Promise.all(opening);
  const find = (ref: CaseRef) => {
    const key = recordedKey(ref, dataFolders);
    for (const { record, places } of opened) {
      const place = places.get(key);
      if (place) return { record, place };
    }
    return undefined;
  };
  return {
    count: opened.reduce((sum, { record }) => sum + record.cases.length, 0),
    /** Why the records may lack cases: `NAME.jsonl, line 3: …`. */
    damage: opened.flatMap(({ record }) => gapsOf(record)),
    has: (ref: CaseRef) => find(ref) !== undefined,
    /** Returns a line whose paths are written in the way the eval file was named. */
    async line(ref: CaseRef): Promise<CaseLine | undefined> {
      const found = find(ref);
      const dataFolder = dataFolders.get(ref.suite);
      if (!found || !dataFolder) return undefined;
      const line = (await found.record.lines([found.place])).get(found.place);
      return line && mapCasePaths(line, (path) => namedPath(dataFolder, path));
    },
  };
}

/** Turns a recorded conversation into a new one that cost nothing. */
export function reuseConversation(line: CaseLine): ConversationResult {
  const { stop_reason, stop_rationale, reason, target_usage, failed_turn } = line;
  const conversation = addMissingHandoffs(line.conversation);
  const stop: Stop | undefined = stop_reason && {
    reason: stop_reason,
    ...(stop_rationale !== undefined && { why: stop_rationale }),
  };
  return {
    conversation,
    replyTurns: line.origin === 'transcript' ? [] : replyTurnsOf(conversation),
    usage: NO_USAGE,
    ...(line.facts && line.facts.tools.length > 0 && { tools: line.facts.tools }),
    ...(target_usage && { measured: target_usage }),
    ...recordedReporting(line),
    ...(stop && { stop }),
    // An incomplete conversation isn't judged.
    ...(line.status === 'error' && reason !== undefined && { error: new Error(reason) }),
    ...(failed_turn && { failedTurn: failed_turn }),
  };
}

/**
 * Whether the file has turns that the recorded conversation doesn't have, or vice versa.
 *
 * @param scrubber hides the secrets that are hidden in the recorded conversation
 */
export function hasOtherTurns(
  line: CaseLine,
  origin: SuiteCase['origin'],
  scrubber: Scrubber,
): boolean {
  const { conversation, stop_reason } = line;
  if (line.origin !== undefined && line.origin !== origin.kind) return true;
  const isRecorded = origin.kind === 'transcript';
  const given = isRecorded ? origin.messages : (origin.history?.messages ?? []);
  const before = turnsOf(conversation).filter(({ history }) => isRecorded || history);
  const now = scrubber.data(turnsOf(toConversation(given)));
  if (hashOfTurns(before) !== hashOfTurns(now)) return true;
  if (origin.kind !== 'turns') return false;
  const recorded = liveTurnsOf(conversation).filter(({ side }) => side === 'user');
  const isWhole = stop_reason !== 'stop-on-failure';
  if (isWhole && recorded.length !== origin.turns.length) return true;
  return recorded.some((turn, index) => {
    const text = textOf(turn);
    const { user, images = [] } = origin.turns[index] ?? {};
    const digests = (all: readonly Image[]) => all.map(({ digest }) => digest).join();
    if (digests(imagesIn([turn])) !== digests(images)) return true;
    // A hidden secret can't be compared.
    return text !== user && !text.includes('[hidden: ');
  });
}

/** Identifies what is said and done in turns. */
function hashOfTurns(turns: readonly Turn[]): string {
  const entries = turns.map(({ kind, number, side, items, retrievalContext }) => ({
    ...{ kind, number, side, items },
    ...(retrievalContext && { retrievalContext }),
  }));
  return conversationHash({ entries, notes: [] });
}

/** What the target reports. For records from earlier versions, derived from what the conversation contains. */
function recordedReporting(line: CaseLine): Pick<ConversationResult, 'reporting'> {
  const { origin, target, reported, conversation, target_usage } = line;
  if (origin === 'transcript') return {};
  const { reportsAll, reportKeys: keys = {} } = findTargetType(target?.type ?? '') ?? {};
  const contained = [...reportsIn(conversation), ...(target_usage ? (['usage'] as const) : [])];
  const known = reportsAll ? REPORTS : contained;
  const reports = reported ? REPORTS.filter((one) => reported.includes(one)) : known;
  return { reporting: { target: target?.name ?? '', reports, isDeclared: false, keys } };
}

/** The result for a skipped or canceled case that has nothing to judge. */
export function reuseSkip(line: CaseLine, { assertions }: SuiteCase): ExecutionResult | undefined {
  const { status, reason = '', conversation, stop_reason } = line;
  if (status !== 'skipped') return undefined;
  if (stop_reason !== 'cancelled' && turnsOf(conversation).length > 0) return undefined;
  const verdicts = assertions.map((one) => skippedVerdict(one, 'not-reached', reason));
  const stop = stop_reason && { stop: { reason: stop_reason } };
  return { status, reason, ...stop, conversation, verdicts, usage: NO_USAGE };
}

/** What the conversation was made from, because the file may have changed since then. */
export function provenanceOf({ origin, target, input_hash, conversation_id }: CaseLine) {
  return { origin, target, input_hash, conversation_id };
}

interface ResumedCases {
  readonly summary: ResumeSummary;
  readonly reused: ReadonlySet<PlannedCase>;
  /** Lines to keep in the records, by root. */
  readonly retained: ReadonlyMap<string, RetainedLines>;
  /** Sentences about cases that the run selected and that no longer exist. */
  readonly lost: readonly string[];
}

/**
 * Finds the planned executions whose results in the records of a run are still valid. On another commit, only results
 * of transcripts are: a target may import files that have changed.
 *
 * @param commit the current commit, if known
 */
export async function resume(
  { run, records }: EarlierRun,
  planned: readonly PlannedCase[],
  context: RunContext,
  commit: string | undefined,
): Promise<ResumedCases> {
  const isSameCommit = run.commit === commit;
  const byKey = planByRecordedKey(planned, context.dataFolders);
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
      if (!one || wasInterrupted(line)) continue;
      const mayReuse = isSameCommit || line.origin === 'transcript';
      if (mayReuse && (await isReusable(line, one, context))) {
        places.set(one, place);
        own.add(one);
        edited.delete(one);
      } else if (!places.has(one)) edited.add(one);
    }
    const kept = [...own].flatMap((one) => places.get(one) ?? []);
    retained.set(root, { record, stamp: read.stamp, retained: kept });
  }
  const reused = new Set(places.keys());
  const refs = [...edited].map(({ ref }) => ref);
  const summary = { reused: reused.size, edited: refs, gone };
  return { summary, reused, retained, lost: lostCases(run, planned) };
}

function lostCases({ id, files }: EarlierRun['run'], planned: readonly PlannedCase[]): string[] {
  const bySuite = groupBy(planned, ({ suite }) => suite.path);
  return files.flatMap(({ path, cases = [] }) => {
    if (!existsSync(path)) return [`${path} was part of run ${id}, and no longer exists.`];
    const names = new Set(bySuite.get(path)?.map(({ ref }) => caseName(ref)));
    return cases
      .filter((one) => !names.has(one))
      .map((one) => `${path}: the case "${one}" was part of run ${id}, and no longer exists.`);
  });
}

/** The reused cases from the continued records, with their planned executions. */
export async function* reusedLines(
  records: readonly string[],
  { reused, retained }: ResumedCases,
  dataFolders: ReadonlyMap<string, DataFolder>,
): AsyncGenerator<{ readonly one: PlannedCase; readonly line: CaseLine }> {
  const byKey = planByRecordedKey([...reused], dataFolders);
  for (const record of records) {
    const root = rootOfRecord(record);
    if (!retained.has(root)) continue;
    const read = new RunRecord(record, { root });
    await read.readNew();
    const known = read.cases.filter((one) => byKey.has(executionKey(one)));
    for await (const { line } of read.each(known)) {
      const one = byKey.get(executionKey(line));
      const dataFolder = one && dataFolders.get(one.suite.path);
      if (dataFolder)
        yield { one, line: mapCasePaths(line, (path) => namedPath(dataFolder, path)) };
    }
  }
}

function planByRecordedKey(
  planned: readonly PlannedCase[],
  dataFolders: ReadonlyMap<string, DataFolder>,
): ReadonlyMap<string, PlannedCase> {
  return new Map(planned.map((one) => [recordedKey(one.ref, dataFolders), one]));
}

/** The `executionKey` of a case in its record. */
function recordedKey(ref: CaseRef, dataFolders: ReadonlyMap<string, DataFolder>): string {
  return executionKey({ ...ref, suite: dataFolders.get(ref.suite)?.path ?? ref.suite });
}

async function isReusable(
  line: CaseLine,
  planned: PlannedCase,
  context: RunContext,
): Promise<boolean> {
  const { suiteCase, fault } = await openCase(planned.case);
  if (fault || !answersCase(line, suiteCase)) return false;
  const { input_hash, script_hash, target } = await context.describe(suiteCase);
  return (
    line.input_hash === input_hash &&
    line.script_hash === script_hash &&
    line.target?.filled_in === target?.filled_in &&
    hasSameJudges(line.verdicts, suiteCase)
  );
}

/** Whether judges have the same names as before. They can contain environment variables. */
function hasSameJudges(verdicts: readonly Verdict[], { assertions }: SuiteCase): boolean {
  const judges = new Set(assertions.flatMap(leavesOf).map(({ judge }) => judge?.id));
  const isSame = ({ judge, nested = [] }: Verdict): boolean =>
    (judge === undefined || judges.has(judge.model)) && nested.every(isSame);
  return verdicts.every(isSame);
}

/** Whether a line has the verdicts that its case needs, and the status that they imply. The line may be forged. */
export function answersCase(line: CaseLine, suiteCase: SuiteCase): boolean {
  const { status, verdicts, threshold } = line;
  return !contradictsVerdicts(status, verdicts, threshold) && isCurrent(line, suiteCase);
}

/** Whether the case ended only because its run ended. */
function wasInterrupted({ stop_reason, reason = '', verdicts }: CaseLine): boolean {
  return (
    stop_reason === 'cancelled' ||
    reason.includes(OVER_BUDGET) ||
    verdicts.some((verdict) => verdict.reason === OVER_BUDGET)
  );
}

const OVER_BUDGET = 'over-budget';
