import type { EndLine } from './runRecord.ts';

/** `interrupted`: it was canceled or killed, reached its cost limit, or is `incomplete`. */
export type RunState = 'running' | 'finished' | 'interrupted';

export function endedState({ cancelled, stopped, incomplete }: EndLine): RunState {
  return cancelled || stopped || incomplete ? 'interrupted' : 'finished';
}
