import type { Message } from '../core/message.ts';
import type { ConversationTrace } from '../traces/conversationTrace.ts';
import { callKey, type TracedCall, type TurnReport } from '../traces/turnReport.ts';
import { withContext } from './reply.ts';
import { checkLength } from './replyLimits.ts';
import { type TargetReply, type TargetSession, withReply } from './target.ts';

/**
 * A session whose replies also contain what their traces show.
 *
 * @param needsCalls whether missing spans mean that tool calls are unknown, because the replies don't report them
 */
export function tracedSession(
  session: TargetSession,
  trace: ConversationTrace,
  needsCalls: boolean,
): TargetSession {
  let waited = 0;
  const traced = withReply(session, async (messages, signal, onText) => {
    trace.begin();
    const reply = await session.reply(messages, signal, onText);
    const began = performance.now();
    const report = await trace.collect(signal);
    waited += performance.now() - began;
    return addReport(reply, report, needsCalls);
  });
  return {
    ...traced,
    waited: () => (session.waited?.() ?? 0) + waited,
    async close(signal) {
      try {
        await session.close(signal);
      } finally {
        trace.close();
      }
    },
  };
}

/** Adds a trace's report. Anything that the reply itself reports takes precedence. */
function addReport(reply: TargetReply, report: TurnReport, needsCalls: boolean): TargetReply {
  const { calls, retrieved, usage = undefined, agent, firstToken, reports, fault } = report;
  const messages = mergeCalls(calls, nameSpeaker(reply.messages, agent));
  checkLength(JSON.stringify(messages).length);
  const isRetrieved = messages.some((one) => one.role === 'assistant' && one.retrievalContext);
  const used = reply.usage ?? usage;
  const note = fault && `The trace of a turn is incomplete. ${fault}`;
  const merged: TargetReply = {
    ...reply,
    messages,
    sent: reply.messages,
    reports: [...(reply.reports ?? []), ...reports],
    ...(used && { usage: used }),
    ...(firstToken !== undefined && reply.firstToken === undefined && { firstToken }),
    ...(note && { notes: [...(reply.notes ?? []), note] }),
    ...(fault !== undefined && needsCalls && { traceFault: fault }),
  };
  return retrieved.length > 0 && !isRetrieved ? withContext(merged, retrieved) : merged;
}

function nameSpeaker(messages: readonly Message[], agent: string | undefined): readonly Message[] {
  const last = messages.findLastIndex((one) => one.role === 'assistant' && one.content !== '');
  return messages.map((one, index) =>
    index === last && one.role === 'assistant' && agent !== undefined ? { agent, ...one } : one,
  );
}

/** Adds traced calls to a reply, each only once. Calls that both the trace and the reply report are paired in order. */
export function mergeCalls(traced: readonly TracedCall[], reply: readonly Message[]): Message[] {
  const pairs = pairCalls(traced, reply);
  const paired = new Set(pairs.values());
  const order = new Map(traced.map(({ id }, index) => [id, index]));
  const ids = new Map([...pairs].map(([own, { id }]) => [id, own.id]));
  const left = traced
    .filter((call) => !paired.has(call))
    .map((call): TracedCall => {
      const { within = '' } = call;
      return ids.has(within) ? { ...call, within: ids.get(within) ?? '' } : call;
    });
  const at = (call: TracedCall) => order.get(call.id) ?? -1;
  const merged: Message[] = [];
  /** Where to add calls that aren't followed by a call from the reply. */
  let end = reply.findIndex(({ role }) => role === 'assistant');
  for (const message of reply) {
    const own = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    const matches = own.map((call) => pairs.get(call)).filter((match) => match !== undefined);
    const next = Math.max(-1, ...matches.map(at));
    while (left[0] && at(left[0]) < next) merged.push(...messagesOf(left.shift()));
    if (message.role !== 'assistant' || matches.length === 0) {
      merged.push(message);
      if (message.role === 'tool') end = merged.length;
      continue;
    }
    const [{ agent } = {}] = matches;
    const toolCalls = own.map((call) => {
      const { latency } = pairs.get(call) ?? {};
      return latency === undefined ? call : { ...call, latency };
    });
    merged.push({ ...(agent !== undefined && { agent }), ...message, toolCalls });
    for (const call of own) {
      const { result } = pairs.get(call) ?? {};
      const isAnswered = reply.some((one) => one.role === 'tool' && one.callId === call.id);
      if (result !== undefined && !isAnswered) {
        merged.push({ role: 'tool', callId: call.id, content: result });
      }
    }
    end = merged.length;
  }
  merged.splice(Math.max(0, end), 0, ...left.flatMap(messagesOf));
  return merged;
}

type ReplyCall = NonNullable<Extract<Message, { role: 'assistant' }>['toolCalls']>[number];

/** Traced calls, by the reply's call. */
function pairCalls(
  traced: readonly TracedCall[],
  reply: readonly Message[],
): Map<ReplyCall, TracedCall> {
  const own = reply.flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []) : []));
  const pairs = new Map<ReplyCall, TracedCall>();
  const taken = new Set<TracedCall>();
  for (const keyOf of [idKey, callKey]) {
    const byKey = new Map<string, TracedCall[]>();
    for (const call of traced) {
      const key = keyOf(call);
      if (!taken.has(call)) byKey.set(key, [...(byKey.get(key) ?? []), call]);
    }
    for (const call of own) {
      const match = pairs.has(call) ? undefined : byKey.get(keyOf(call))?.shift();
      if (!match) continue;
      pairs.set(call, match);
      taken.add(match);
    }
  }
  return pairs;
}

function idKey({ id, name }: Pick<TracedCall, 'id' | 'name'>): string {
  return `${id} ${name}`;
}

function messagesOf(call: TracedCall | undefined): Message[] {
  if (!call) return [];
  const { result, agent, ...toolCall } = call;
  const by = agent !== undefined && { agent };
  return [
    { role: 'assistant', content: '', toolCalls: [toolCall], ...by },
    ...(result === undefined ? [] : [{ role: 'tool' as const, callId: call.id, content: result }]),
  ];
}
