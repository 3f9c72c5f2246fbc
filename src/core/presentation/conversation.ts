import type { OriginKind, StopReason } from '../runRecord.ts';

/** Where a conversation comes from. */
export const ORIGIN_WORDS: Readonly<Record<OriginKind, string>> = {
  turns: 'live conversation',
  transcript: 'transcript',
};

/** Why it ended before all of it was said. */
export const STOP_WORDS: Readonly<Record<StopReason, string>> = {
  'stop-on-failure': 'stopped at a failing turn',
  'target-error': 'cut short by an error',
};
