import type * as z from 'zod';
import type { Conversation } from '../conversation.ts';
import type { Assertion } from '../suite.ts';
import type { Label } from './label.ts';
import type { factsSchema } from './runRecord.ts';

/** What most people say of a turn, or of the whole conversation where no turn is named. */
export interface ExampleVerdict extends Pick<Label, 'turn' | 'status'> {
  /** Of those who say so. */
  readonly label?: string;
  readonly comments: readonly string[];
}

/** A conversation that people judged by the question of an assertion. */
export interface Example {
  readonly case: string;
  readonly variant?: string;
  /** By `conversationHash`. */
  readonly hash: string;
  readonly conversation: Conversation;
  readonly facts: z.infer<typeof factsSchema>;
  /** Of the whole first, then of turns in their order; at least one passes or fails. */
  readonly verdicts: readonly ExampleVerdict[];
}

/** The conversations that may be an assertion's examples, those of the case itself left out. */
export type ExamplesFor = (assertion: Assertion) => Promise<readonly Example[]>;
