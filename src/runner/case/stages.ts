import pLimit, { type LimitFunction } from 'p-limit';

/**
 * The two stages of a case, each with its own limit of cases at once: an agent talks on with the next case while a judge
 * thinks about the last one.
 */
export interface Stages {
  /** Conversations with a target. */
  readonly talking: LimitFunction;
  /** Judgements of conversations that have ended. */
  readonly judging: LimitFunction;
}

const STAGES = 2;

/** @param concurrency how many cases may be in each stage */
export function stagesOf(concurrency: number): Stages {
  return { talking: pLimit(concurrency), judging: pLimit(concurrency) };
}

/** How many cases are begun at most and not yet written down, so that no slow judge piles up conversations. */
export function casesUnderWay(concurrency: number): number {
  return STAGES * concurrency;
}
