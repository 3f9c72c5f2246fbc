import type { CaseFacts, Known } from '../../assertions/contract.ts';
import type { Turn } from '../../core/conversation.ts';
import type { ModelSpec } from '../../core/suite.ts';

/** What an assertion may know of its case. */
export interface AboutCase {
  readonly facts: CaseFacts;
  readonly known: Known;
  /** Of the whole conversation, where it is known before the run. */
  readonly turnCount: number | undefined;
  /** The side of each turn, from turn 1, where it is known. */
  readonly sides: readonly Turn['side'][] | undefined;
  readonly judge: ModelSpec | undefined;
  /** Whether anything names a judge, be it a wrong one. */
  readonly judgeNamed: boolean;
}
