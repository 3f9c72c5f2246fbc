import type { Message, Tool } from '../../core/message.ts';
import { continued, type Exchange } from '../exchanges.ts';
import { toolsIn } from '../fields.ts';
import { Ledger } from '../importer.ts';
import type { Span } from './spans.ts';
import { type TraceTalk, talkOf } from './trace.ts';
import type { TraceInfo } from './wire.ts';

export const SESSION = 'mlflow.trace.session';

/** The traces of one session without their spans, the oldest first. */
export interface Session {
  readonly id: string;
  readonly traces: readonly TraceInfo[];
}

/** What was said in a session. */
export interface SessionTalk {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** By trace: the number of the turn that replies in it. */
  readonly turns: ReadonlyMap<string, number>;
  /** Traces in which nothing was said. */
  readonly silent: readonly string[];
  /** Number of requests that don't continue the conversation, and are left out. */
  readonly branches: number;
}

/** Groups what comes page by page. */
export class Sessions {
  readonly #traces = new Map<string, Map<string, TraceInfo>>();
  /** Traces of no session. */
  lonely = 0;

  add(traces: readonly TraceInfo[]): void {
    for (const info of traces) {
      const id = info.trace_metadata[SESSION] ?? '';
      if (id === '') this.lonely += 1;
      else {
        const own = this.#traces.get(id) ?? new Map<string, TraceInfo>();
        this.#traces.set(id, own.set(info.trace_id, info));
      }
    }
  }

  /** By their first trace. */
  all(): Session[] {
    const sessions = [...this.#traces].map(([id, traces]) => ({
      id,
      traces: [...traces.values()].sort(byTime),
    }));
    return sessions.sort((a, b) => compare(timeOf(a), timeOf(b)) || compare(a.id, b.id));
  }
}

function timeOf({ traces }: Session): string {
  return traces[0]?.request_time ?? '';
}

function byTime(a: TraceInfo, b: TraceInfo): number {
  return compare(a.request_time, b.request_time) || compare(a.trace_id, b.trace_id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The session with its traces in the order in which they began: a server tells that only to the millisecond. */
export function inOrder(session: Session, spans: ReadonlyMap<string, readonly Span[]>): Session {
  const began = ({ trace_id: id }: TraceInfo) => spans.get(id)?.[0]?.start ?? 0;
  const traces = [...session.traces].sort(
    (a, b) => compare(a.request_time, b.request_time) || began(a) - began(b),
  );
  return { ...session, traces };
}

/** Puts together what the traces of a session say, in their order. */
export function talkOfSession(
  { traces }: Session,
  spans: ReadonlyMap<string, readonly Span[]>,
): SessionTalk {
  return joined(traces.map(({ trace_id: id }) => ({ id, ...talkOf(spans.get(id) ?? []) })));
}

/** Each trace may repeat what was said before. */
export function joined(talks: readonly (TraceTalk & { readonly id: string })[]): SessionTalk {
  let said: readonly Message[] = [];
  const joinedExchanges: Exchange[] = [];
  let branches = 0;
  const replies = new Map<string, number>();
  let tools: readonly Tool[] = [];
  for (const { id, exchanges, retrieved, tools: given } of talks) {
    for (const exchange of exchanges) {
      const more = continued({ messages: said, exchanges: joinedExchanges }, exchange);
      if (more) joinedExchanges.push(exchange);
      else branches += 1;
      said = more ?? said;
    }
    said = withRetrieved(said, retrieved);
    if (exchanges.length > 0) replies.set(id, said.length);
    tools = toolsIn(given, 1, new Ledger()) ?? tools;
  }
  const silent = talks.flatMap(({ id, exchanges }) => (exchanges.length === 0 ? [id] : []));
  return { messages: said, tools, turns: turnsAt(said, replies), silent, branches };
}

function withRetrieved(said: readonly Message[], retrieved: readonly string[]): readonly Message[] {
  const last = said.at(-1);
  if (last?.role !== 'assistant' || retrieved.length === 0) return said;
  return [...said.slice(0, -1), { ...last, retrievalContext: [...retrieved] }];
}

/** The number of the turn that each count of messages ends in. */
function turnsAt(
  messages: readonly Message[],
  replies: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  let side: Message['role'] | undefined;
  let turn = 0;
  const numbers = [0];
  for (const { role } of messages) {
    if ((role === 'user' || role === 'assistant') && role !== side) {
      side = role;
      turn += 1;
    }
    numbers.push(turn);
  }
  return new Map([...replies].map(([id, count]) => [id, numbers[count] ?? turn]));
}
