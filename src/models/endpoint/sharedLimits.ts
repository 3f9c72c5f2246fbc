import type { Spent } from './limits.ts';

/** The limits of an endpoint that other processes ask as well: what one of them learns or spends, all know. */
export interface SharedLimits {
  /** Spends for a request. @returns milliseconds until it may be tried again, where it may not now */
  take(tokens: number): Promise<Spent | number>;
  /** Learns from an answer. */
  heard(spent: Spent, status: number, headers: Headers): Promise<void>;
}
