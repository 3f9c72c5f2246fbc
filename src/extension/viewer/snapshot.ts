import { type Conversation, toConversation, turnsOf } from '../../core/conversation.ts';
import type { FailingCases } from '../../core/identity.ts';
import { placeText } from '../../core/presentation/failureText.ts';
import { repeatedText } from '../../core/presentation/outcome.ts';
import type { Change } from '../../core/record/caseHistory.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import type { StatedAssertion } from '../../core/statedAssertion.ts';
import type { MessageHistory } from '../../core/suite.ts';
import type { LoadedSuite, OutlineCase } from '../../evalfile/loadedSuite.ts';
import { isRunning } from '../../protocol/viewPage.ts';
import type { Snapshot, ViewState } from '../../protocol/viewProtocol.ts';
import { finishedSnapshot } from '../../report/finishedSnapshot.ts';
import type { LiveCase } from '../liveRuns.ts';

/** What is known of a case. */
export interface KnownCase {
  /** Its file as it is now. */
  readonly suite: LoadedSuite;
  /** What was said before anything runs, of a variant; else the outline has it. */
  readonly said?: MessageHistory | undefined;
  /** The assertions of the case in that file. */
  readonly assertions: readonly StatedAssertion[];
  /** Of a run in this session. */
  readonly live: LiveCase | undefined;
  /** Of the record that is shown. */
  readonly finished: CaseLine | undefined;
  /** Every repetition in that record. */
  readonly repeats?: readonly CaseLine[];
  /** How the case has changed since. */
  readonly changed?: Change | undefined;
  /** How the case came out over its last runs, in a sentence. */
  readonly history?: string | undefined;
  /** Of the run that is shown, as in a snapshot. */
  readonly failing?: Pick<FailingCases, 'count' | 'at'> | undefined;
  /** What people say of the verdicts, as in a snapshot. */
  readonly labels?: Snapshot['labels'] | undefined;
}

/** What the view shows of a case: as it runs, as it ended, or what will be judged. */
export function snapshotOf(
  state: ViewState,
  {
    suite,
    said,
    assertions,
    live,
    finished,
    changed,
    failing,
    history,
    labels,
    repeats,
  }: KnownCase,
): Snapshot {
  const found = suite.outline.find(({ id }) => id === state.id);
  const common = {
    state,
    suiteName: finished?.suite_name ?? suite.suite?.name ?? '',
    repetitions: found?.repetitions ?? finished?.repetitions ?? 1,
    ...(found?.description !== undefined && { description: found.description }),
    assertions: [...assertions],
    ...(history !== undefined && { history }),
    ...(failing && {
      failing: { count: failing.count, ...(failing.at !== undefined && { at: failing.at }) },
    }),
  };
  const line = isRunning(live?.phase) ? undefined : finished;
  const repeated = repeatedText(repeats ?? []);
  if (!line) {
    const reason = live ? undefined : whyNot(state.id, found);
    return {
      ...common,
      phase: live?.phase ?? 'new',
      score: null,
      ...(reason !== undefined && { reason }),
      conversation: conversationOf(said ?? found?.said, live),
      verdicts: [...(live?.verdicts ?? [])],
      ...(live?.speaking && isRunning(live.phase) && { speaking: live.speaking.number }),
    };
  }
  return {
    ...common,
    ...finishedSnapshot(line),
    ...(repeated !== undefined && { repeated }),
    ...(changed && { changed }),
    ...(labels && { labels }),
  };
}

/** A transcript and a history are there before they are judged; what a target says comes turn by turn. */
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

/** Why a case that never ran cannot run. */
function whyNot(id: string, found: OutlineCase | undefined): string | undefined {
  if (!found) return `The file has no case "${id}".`;
  const [error] = found.errors;
  if (!error) return undefined;
  return `This case cannot run. ${placeText(error)}: ${error.message}`;
}
