import type { ViewState } from '../../protocol/viewProtocol.ts';
import { isSameRun } from '../results/panel.ts';

/** Two runs, each by its records, absolute. */
export type RunPair = Readonly<Record<keyof NonNullable<ViewState['compared']>, readonly string[]>>;

export function pairKey({ base, head }: RunPair): string {
  return JSON.stringify([base, head]);
}

/** Whether a record is of one of the two runs. */
export function isOfPair({ base, head }: RunPair, record: string): boolean {
  return [...base, ...head].some((one) => isSameRun(one, record));
}
