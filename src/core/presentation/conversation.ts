import type { CaseLine, OriginKind, StopReason } from '../record/runRecord.ts';

export const ORIGIN_WORDS: Readonly<Record<OriginKind, string>> = {
  turns: 'live conversation',
  simulate: 'simulated conversation',
  transcript: 'transcript',
};

export const STOP_WORDS: Readonly<Record<StopReason, string>> = {
  'stop-on-failure': 'stopped at a failing turn',
  'goal-reached': 'goal reached',
  'goal-refused': 'goal refused',
  'max-turns': 'most user turns reached',
  'stop-condition': 'stop condition met',
  repetition: 'the target repeated itself',
  'empty-reply': 'the target said nothing',
  'target-error': 'cut short by an error',
  'simulator-error': 'cut short by an error of the simulated user',
  cancelled: 'cancelled',
};

/** Why a simulated conversation ended, as `goal reached: The return is booked.` */
export function stopText({
  origin,
  stop_reason,
  stop_rationale,
}: Pick<CaseLine, 'origin' | 'stop_reason' | 'stop_rationale'>): string | undefined {
  if (origin !== 'simulate' || !stop_reason) return undefined;
  const words = STOP_WORDS[stop_reason];
  return stop_rationale === undefined ? words : `${words}: ${stop_rationale}`;
}
