import { groupBy } from '../core/data/data.ts';
import { counted } from '../core/text/format.ts';
import { caseFromMessages } from './conversation.ts';
import type { Feedback } from './feedback.ts';
import type { DraftCase, Ledger } from './importer.ts';
import { compare, joinTraces, type TraceConversation } from './mlflow/session.ts';

/** A trace of MLflow or LangSmith. */
export interface Trace extends TraceConversation {
  readonly line: number;
  readonly id: string;
  readonly session: string | undefined;
  readonly time: string;
  readonly task?: string | undefined;
  readonly trial?: string | undefined;
  /** The trace's feedback. @param turn the turn that the trace replies with */
  readonly feedbackOn: (turn: number | undefined) => readonly Feedback[];
}

/** One case for each session; a trace without one is its own. */
export function casesOfTraces(traces: readonly Trace[], ledger: Ledger): DraftCase[] {
  const sessions = groupBy(traces, ({ session, id }) => session ?? id);
  return [...sessions.values()].flatMap((own) => caseFor(own, ledger) ?? []);
}

function caseFor(traces: readonly [Trace, ...Trace[]], ledger: Ledger): DraftCase | undefined {
  const ordered = [...traces].sort((a, b) => compare(a.time, b.time));
  const [first = traces[0]] = ordered;
  const { messages, tools, turns, branches } = joinTraces(ordered);
  if (branches > 0) {
    const requests = counted(branches, 'request');
    ledger.skip('requests', 'do not continue the conversation', branches);
    ledger.lost(first.line, `Left out ${requests} that don't continue the conversation.`);
  }
  const recorded = {
    line: first.line,
    name: first.session,
    keys: tools.length > 0 ? { tools } : {},
    feedback: ordered.flatMap(({ id, feedbackOn }) => feedbackOn(turns.get(id))),
    task: first.task,
    trial: first.trial,
  };
  return caseFromMessages(messages, recorded, ledger);
}

/** Reports requests to models outside the conversation, such as safety checks. */
export function skipBesides(
  { besides }: TraceConversation,
  { id, line }: Pick<Trace, 'id' | 'line'>,
  ledger: Ledger,
): void {
  if (besides === 0) return;
  ledger.skip('requests', 'are not part of the conversation', besides);
  const requests = counted(besides, 'model request');
  ledger.lost(line, `Left out ${requests} of ${id} that are not part of the conversation.`);
}
