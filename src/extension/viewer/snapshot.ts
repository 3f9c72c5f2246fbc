import { type Conversation, toConversation, turnsOf } from '../../core/conversation.ts';
import { type FailingCases, failingCases } from '../../core/failingCases.ts';
import { type CaseRef, executionKey } from '../../core/identity.ts';
import { placeText } from '../../core/presentation/failureText.ts';
import { repeatedText } from '../../core/presentation/verdictResult.ts';
import { isError } from '../../core/problem.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { isFailure } from '../../core/scoring.ts';
import type { StatedAssertion } from '../../core/statedAssertion.ts';
import type { ExpandedCase, MessageHistory, SuiteCase } from '../../core/suite.ts';
import type { LoadedSuite, OutlineCase } from '../../evalfile/loadedSuite.ts';
import { isRunning } from '../../protocol/viewPage.ts';
import type { Snapshot, ViewState } from '../../protocol/viewProtocol.ts';
import { finishedSnapshot } from '../../report/finishedSnapshot.ts';
import { findExistingDataFolders } from '../../store/dataFolder.ts';
import type { LatestRuns } from '../../store/records/latest.ts';
import type { LiveCase } from '../liveRuns.ts';
import { inReadingOrder } from '../testing/listedCases.ts';

/** The data that a snapshot is made from. */
export interface CaseSources extends Pick<Snapshot, 'changed' | 'history' | 'labels' | 'failing'> {
  /** The current file. */
  readonly suite: LoadedSuite;
  /** A variant's messages that exist before it runs. For other cases, the outline contains them. */
  readonly said?: MessageHistory | undefined;
  readonly assertions: readonly StatedAssertion[];
  /** The case's state in a run from this session. */
  readonly live: LiveCase | undefined;
  /** The case's line in the visible record. */
  readonly finished: CaseLine | undefined;
  /** All repetitions in that record. */
  readonly repeats?: readonly CaseLine[];
}

/** The snapshot of a case: running, finished, or not run yet. */
export function snapshotOf(state: ViewState, sources: CaseSources): Snapshot {
  const { suite, live, finished, failing } = sources;
  const found = suite.outline.find(({ id }) => id === state.id);
  const common = {
    state,
    suiteName: finished?.suite_name ?? suite.suite?.name ?? '',
    repetitions: found?.repetitions ?? finished?.repetitions ?? 1,
    description: found?.description,
    assertions: [...sources.assertions],
    history: sources.history,
    failing: failing && { count: failing.count, at: failing.at },
  };
  if (!finished || isRunning(live?.phase)) {
    return {
      ...common,
      phase: live?.phase ?? 'new',
      score: null,
      reason: live ? undefined : reasonNotRun(state.id, found),
      conversation: conversationOf(sources.said ?? found?.said, live),
      verdicts: [...(live?.verdicts ?? [])],
      speaking: isRunning(live?.phase) ? live?.speaking?.number : undefined,
    };
  }
  return {
    ...common,
    ...finishedSnapshot(finished),
    repeated: repeatedText(sources.repeats ?? []),
    changed: sources.changed,
    labels: sources.labels,
  };
}

/** Messages of a transcript or history exist before the run; a target's messages arrive turn by turn. */
function conversationOf(
  said: MessageHistory | undefined,
  live: LiveCase | undefined,
): Conversation {
  const { messages = [], notes = [] } = said ?? {};
  const before = toConversation(messages, notes);
  const known = new Set(turnsOf(before).map(({ number }) => number));
  const { turns = [], speaking = [] } = live ?? {};
  const added = turns.concat(speaking).filter(({ number }) => !known.has(number));
  return { ...before, entries: [...before.entries, ...added] };
}

/** Why a case can't run. */
function reasonNotRun(id: string, found: OutlineCase | undefined): string | undefined {
  if (!found) return `The file has no case "${id}".`;
  const [error] = found.errors;
  if (!error) return undefined;
  return `This case cannot run. ${placeText(error)}: ${error.message}`;
}

/** The current version of a case. */
export interface CurrentCase {
  readonly suiteCase: SuiteCase | undefined;
  /**
   * Present if the conversation was removed or can't be read. `suiteCase` then contains only the data that all
   * conversations share.
   */
  readonly missing?: 'gone' | 'broken';
}

/** Reads one of several conversations of a case. */
export async function openVariant(
  common: SuiteCase,
  variant: string,
): Promise<CurrentCase & Pick<ExpandedCase, 'files'>> {
  const { cases = [], files = [], problems = [] } = (await common.expand?.()) ?? {};
  const one = cases.find((known) => known.variant === variant);
  const suiteCase = (await one?.open?.())?.suiteCase;
  if (suiteCase) return { suiteCase, files };
  const missing = one || problems.some(isError) ? 'broken' : 'gone';
  return { suiteCase: common, files, missing };
}

/** The messages of a case that exist before it runs. */
export function messageHistoryOf(suiteCase: SuiteCase | undefined): MessageHistory | undefined {
  const { origin } = suiteCase ?? {};
  return origin?.kind === 'transcript' ? origin : origin?.history;
}

/** The failing cases of the visible run, in the order of their files. @param shown the visible case */
export async function failingCasesIn(
  runs: LatestRuns,
  { record, root }: Pick<ViewState, 'record' | 'root'>,
  shown: CaseRef,
): Promise<FailingCases | undefined> {
  if (record === undefined) return undefined;
  const { cases } = await runs.record(record, root);
  // Records contain eval file paths with links resolved.
  const { path } = findExistingDataFolders(shown.suite);
  const own = { ...shown, suite: path };
  const wanted = cases.filter((one) => isFailure(one) || executionKey(one) === executionKey(own));
  return failingCases(inReadingOrder(wanted), own);
}
