import type { Conversation } from '../core/conversation.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { Snapshot } from '../protocol/viewProtocol.ts';

type FinishedView = Omit<
  Snapshot,
  'state' | 'suiteName' | 'repetitions' | 'assertions' | 'changed'
>;

/** The conversation view of a finished case. */
export function finishedSnapshot(line: CaseLine): FinishedView {
  return {
    phase: 'finished',
    status: line.status,
    score: line.score,
    ...(line.threshold !== undefined && { threshold: line.threshold }),
    ...(line.reason !== undefined && { reason: line.reason }),
    ...(line.fault && { fault: line.fault }),
    ...(line.origin && { origin: line.origin }),
    ...(line.stop_reason && { stopReason: line.stop_reason }),
    ...(line.stop_rationale !== undefined && { stopRationale: line.stop_rationale }),
    conversation: withFailedTurn(line),
    verdicts: line.verdicts,
    usage: line.usage,
    duration: line.duration,
    finished: line.finished,
  };
}

/** The conversation, including the failed turn. */
function withFailedTurn({ conversation, failed_turn, reason }: CaseLine): Conversation {
  if (!failed_turn || reason === undefined) return conversation;
  const turn = { kind: 'turn' as const, ...failed_turn, items: [], error: reason };
  return { ...conversation, entries: [...conversation.entries, turn] };
}
