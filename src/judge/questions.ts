import type { Outcome, Question } from '../assertions/contract.ts';
import type { Turn } from '../core/conversation.ts';

/** Makes the question about some of the judged turns; an outcome where nothing needs asking. */
export type Questioning<Answer, Concluded> = (
  turns: readonly Turn[],
) => Question<Answer, Concluded> | Outcome;

/** A question among others of one request. */
export interface NamedQuestion {
  /** The key of its answer. */
  readonly name: string;
  readonly question: Question<unknown, Outcome[]>;
}
