import { toConversation } from '../../core/conversation.ts';
import type { CaseLine } from '../../core/runRecord.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import type { Snapshot, ViewState } from '../../protocol/viewProtocol.ts';
import type { LiveCase } from '../liveRuns.ts';

const PHASES = {
  queued: 'queued',
  running: 'running',
  finished: 'finished',
  cancelled: 'empty',
} as const;

/** What the view shows of a case: as it runs, as it ended, or that it never ran. */
export function snapshotOf(
  state: ViewState,
  suite: LoadedSuite,
  live: LiveCase | undefined,
  finished: CaseLine | undefined,
): Snapshot {
  const found = suite.outline.find(({ id }) => id === state.id);
  const common = {
    state,
    suiteName: finished?.suite_name ?? suite.suite?.name ?? '',
    repetitions: found?.repetitions ?? finished?.repetitions ?? 1,
    ...(found?.description !== undefined && { description: found.description }),
  };
  const line = live?.phase === 'queued' || live?.phase === 'running' ? undefined : finished;
  if (!line) {
    return {
      ...common,
      phase: live ? PHASES[live.phase] : 'empty',
      stale: false,
      score: null,
      conversation: live ? { entries: [...live.turns], notes: [] } : toConversation([]),
      verdicts: [...(live?.verdicts ?? [])],
    };
  }
  return {
    ...common,
    phase: 'finished',
    stale: found !== undefined && found.hash !== line.source.hash,
    status: line.status,
    score: line.score,
    ...(line.threshold !== undefined && { threshold: line.threshold }),
    ...(line.reason !== undefined && { reason: line.reason }),
    ...(line.origin && { origin: line.origin }),
    ...(line.stop_reason && { stopReason: line.stop_reason }),
    conversation: line.conversation,
    verdicts: line.verdicts,
    usage: line.usage,
    duration: line.duration,
    finished: line.finished,
  };
}
