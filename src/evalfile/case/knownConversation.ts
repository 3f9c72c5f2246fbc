import type { Known } from '../../assertions/contract.ts';
import type { Turn } from '../../core/conversation.ts';
import type { SaidBefore, SuiteCase } from '../../core/suite.ts';
import type { Location } from '../scope.ts';

/** Where a case's conversation comes from, and what is known about it before the run. */
export interface KnownConversation {
  /** Absent if it cannot be had, for the reason that was reported. */
  readonly origin?: SuiteCase['origin'];
  readonly history?: SaidBefore;
  readonly known: Known;
  /** The mapping of its target, where it is read. */
  readonly targetAt?: Location | undefined;
  /** Absent where it is not known yet, or if a history cannot be read. */
  readonly sides?: readonly Turn['side'][];
}
