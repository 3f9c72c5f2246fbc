import type { ViewState } from '../../protocol/viewProtocol.ts';

/** A run, by the record that holds it. Both are absolute. */
export type ShownRecord = Required<Pick<ViewState, 'record' | 'root'>>;

/** What a view is asked to show of its case. */
export interface Showing {
  /** The turn to show first. */
  readonly turn: number | undefined;
  /** The one that is shown, by default. */
  readonly repetition: number | undefined;
  /** The last run, by default. */
  readonly shown: ShownRecord | undefined;
}
