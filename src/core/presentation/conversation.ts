import type { OriginKind, StopReason } from '../runRecord.ts';

export const ORIGIN_WORDS: Readonly<Record<OriginKind, string>> = {
  turns: 'live conversation',
  transcript: 'transcript',
};

export const STOP_WORDS: Readonly<Record<StopReason, string>> = {
  'stop-on-failure': 'stopped at a failing turn',
  'target-error': 'cut short by an error',
};
