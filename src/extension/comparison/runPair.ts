import type { ViewState } from '../../protocol/viewProtocol.ts';

/** Two runs, each by its records, absolute. */
export type RunPair = Readonly<Record<keyof NonNullable<ViewState['compared']>, readonly string[]>>;

export function pairKey({ base, head }: RunPair): string {
  return JSON.stringify([base, head]);
}
