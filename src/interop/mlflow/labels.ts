import { jsonOrText } from '../../core/data/data.ts';
import type { Message } from '../../core/message.ts';
import { type Feedback, type RatedConversation, toIsoTime } from '../feedback.ts';
import type { Assessment } from './api.ts';
import { SESSION, type Session } from './session.ts';

/** A session that became a case. */
export interface PulledLabels {
  readonly id: string;
  readonly session: Session;
  readonly messages: readonly Message[];
  readonly turns: ReadonlyMap<string, number>;
}

/** A session's conversation with people's assessments. */
export function ratedSession({ id, session, messages, turns }: PulledLabels): RatedConversation {
  const feedback = session.traces.flatMap(({ assessments, trace_id: trace }) =>
    assessments.filter(isFeedback).map((one) => feedbackOf(one, turns.get(trace))),
  );
  return { case: id, messages, feedback };
}

/** @param turn the turn that the trace replies with */
export function feedbackOf(one: Assessment, turn: number | undefined): Feedback {
  return {
    name: one.assessment_name,
    value: one.feedback?.value,
    turn: one.metadata[SESSION] === undefined ? turn : undefined,
    comment: one.rationale,
    person: one.source?.source_id ?? '',
    at: toIsoTime(one.create_time),
  };
}

/** Whether an assessment is a person's feedback. */
export function isFeedback(one: Assessment): boolean {
  return isHuman(one) && one.feedback !== undefined;
}

export function isHuman({ source, valid }: Assessment): boolean {
  return valid && source?.source_type === 'HUMAN';
}

export function expectedIn({ expectation }: Assessment): unknown {
  const serialized = expectation?.serialized_value?.value;
  return serialized === undefined ? expectation?.value : jsonOrText(serialized);
}
