import { type Conversation, type TurnItem, toConversation, turnsOf } from '../core/conversation.ts';
import { addRecent, mappingOf, textIn } from '../core/data/data.ts';
import { LIMITS, readable } from '../core/limits.ts';
import { readMessages } from '../messages/readMessages.ts';
import { originsOf, requestSpansIn } from '../traces/origins.ts';
import { byStart, type Span, sizeOfSpan } from '../traces/spans.ts';
import { CAPTURE, callTimes, faultOfExport } from '../traces/turnReport.ts';
import { Comparisons } from './exchanges.ts';
import { type DraftCase, Ledger } from './importer.ts';
import { caseFor, sessionsOf } from './importers/openTelemetryTraces.ts';

/** A conversation that spans show, or why they don't show one. */
export interface ReceivedConversation {
  /** Identifies the conversation while the inbox is open. */
  readonly id: string;
  /** The first message, or else the first span. */
  readonly name: string;
  /** The agent that replied last, or else the service. */
  readonly agent?: string | undefined;
  readonly conversation: Conversation;
  /** The conversation as a case; absent if it can't be rebuilt. */
  readonly draft?: DraftCase | undefined;
  /** Why the conversation can't be rebuilt. */
  readonly problem?: string | undefined;
  /** Sentences about parts that were left out. */
  readonly notes: readonly string[];
  /** When its last spans arrived, in milliseconds since the epoch. */
  readonly time: number;
}

interface Trace {
  readonly spans: Map<string, Span>;
  size: number;
  /** Whether any of its spans is about a model, tool, or agent. */
  isRelevant: boolean;
  /** The session that continues with this trace, which names no session itself. */
  continues?: string;
  /** Spans by session, as of the last update. */
  sessions: ReadonlyMap<string, readonly Span[]>;
}

interface Session {
  readonly traces: Set<string>;
  readonly shown: ReceivedConversation;
  /** Messages in a form that is the same when a later request repeats them. */
  readonly messages: readonly string[];
}

/** Prefixes of names that instrumentations use for models, tools, and agents. */
const RELEVANT =
  /^(?:gen_ai|llm|ai|openinference|traceloop|langfuse|retrieval|gcp\.vertex\.agent|db\.query\.result)(?:[._]|$)/;

/** Number of dropped traces and sessions to remember. */
const MAX_DROPPED = 10_000;

/** Maximum number of conversations to rebuild at once. Rebuilding more would block the editor. */
const MAX_REBUILT = 1_000;

/** Maximum number of conversations that a trace is tried to continue. */
const MAX_TRIES = 3;

const CUT =
  'Its first spans were dropped, because Turnlight received more than it keeps. Start a new conversation.';

const NO_MESSAGES = `Its spans contain no messages. ${CAPTURE}`;

const WAITING = "Some of its spans haven't arrived yet. So far:";

const INCOMPLETE = 'Some spans around these messages are missing, so the conversation may change.';

/**
 * Groups spans into conversations as they arrive. Keeps a limited number of spans, and drops the oldest conversations
 * beyond it.
 */
export class TraceInbox {
  /** Relevant traces, and others. The ones that changed least recently come first. */
  readonly #traces = new Map<string, Trace>();
  readonly #others = new Map<string, Trace>();
  /** Conversations by session, oldest first. */
  readonly #sessions = new Map<string, Session>();
  readonly #changed = new Set<string>();
  /** Ids of traces and sessions that were dropped. */
  readonly #dropped = new Set<string>();
  #comparisons = new Comparisons();
  #lastId = 0;
  #spans = 0;
  #size = 0;
  /** Number of dropped conversations. */
  dropped = 0;

  /** Number of received spans. */
  received = 0;

  /** The conversations as of the last update, newest first. */
  get conversations(): ReceivedConversation[] {
    return [...this.#sessions.values()].map(({ shown }) => shown).reverse();
  }

  add(span: Span): void {
    if (this.#dropped.has(span.trace)) return;
    const known = this.#traces.get(span.trace) ?? this.#others.get(span.trace);
    const trace: Trace = known ?? { ...NEW_TRACE, spans: new Map() };
    // Exporters send spans again when they retry a request.
    if (trace.spans.has(span.id)) return;
    const size = sizeOfSpan(span);
    this.received += 1;
    trace.spans.set(span.id, span);
    trace.size += size;
    this.#spans += 1;
    this.#size += size;
    trace.isRelevant ||= isRelevant(span);
    this.#others.delete(span.trace);
    this.#traces.delete(span.trace);
    (trace.isRelevant ? this.#traces : this.#others).set(span.trace, trace);
    this.#changed.add(span.trace);
    while (this.#spans > LIMITS.inboxSpans || this.#size > LIMITS.inboxTrace) this.#dropOldest();
  }

  /** Rebuilds the conversations that received spans. */
  update(): void {
    this.#comparisons = new Comparisons();
    const changed = new Set<string>();
    for (const id of this.#changed) {
      const trace = this.#traces.get(id);
      if (!trace) continue;
      const before = trace.sessions;
      const found = sessionsOf([...trace.spans.values()].sort(byStart));
      trace.sessions = rename(found, id, trace.continues ?? id);
      for (const session of before.keys()) if (!trace.sessions.has(session)) changed.add(session);
      for (const session of trace.sessions.keys()) changed.add(session);
      this.#move(id, before, trace.sessions);
    }
    this.#changed.clear();
    for (const session of [...changed].slice(0, -MAX_REBUILT)) this.#dropSession(session);
    for (const session of changed) this.#rebuild(session);
    while (this.#sessions.size > LIMITS.inboxConversations) {
      const [oldest] = this.#sessions.keys();
      if (oldest !== undefined) this.#dropSession(oldest);
    }
  }

  clear(): void {
    this.#traces.clear();
    this.#others.clear();
    this.#sessions.clear();
    this.#changed.clear();
    this.#dropped.clear();
    [this.#spans, this.#size, this.dropped, this.received] = [0, 0, 0, 0];
  }

  /** Moves a trace between sessions. A conversation keeps its id if its session becomes known only later. */
  #move(id: string, before: ReadonlyMap<string, unknown>, now: ReadonlyMap<string, unknown>): void {
    const left = [...before.keys()].find((one) => !now.has(one));
    const known = left === undefined ? undefined : this.#sessions.get(left);
    for (const session of before.keys()) if (!now.has(session)) this.#leave(session, id);
    let keptId = known?.traces.size === 0 ? known.shown.id : undefined;
    for (const session of now.keys()) {
      let one = this.#sessions.get(session);
      if (!one) {
        one = {
          traces: new Set(),
          shown: { ...NOTHING, id: keptId ?? this.#newId() },
          messages: [],
        };
        keptId = undefined;
      }
      one.traces.add(id);
      this.#sessions.set(session, one);
    }
  }

  #newId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }

  #leave(session: string, trace: string): void {
    const one = this.#sessions.get(session);
    one?.traces.delete(trace);
    if (one?.traces.size === 0) this.#sessions.delete(session);
  }

  #rebuild(name: string): void {
    const session = this.#sessions.get(name);
    if (!session) return;
    const { shown, messages } = this.#read(name, this.#spansOf(name), session.shown.id);
    const isNamed = !this.#traces.has(name);
    const mayContinue = !isNamed && shown.problem === undefined;
    if (mayContinue && this.#join(name, messages)) return;
    // The newest conversation comes last.
    this.#sessions.delete(name);
    this.#sessions.set(name, { ...session, shown, messages });
  }

  #spansOf(name: string): Span[] {
    return [...(this.#sessions.get(name)?.traces ?? [])].flatMap(
      (trace) => this.#traces.get(trace)?.sessions.get(name) ?? [],
    );
  }

  #read(name: string, unsorted: readonly Span[], id: string): Pick<Session, 'shown' | 'messages'> {
    const spans = [...unsorted].sort(byStart);
    const ledger = new Ledger(undefined, this.#comparisons);
    const long = spans.find((span) => sizeOfSpan(span) > LIMITS.reply);
    if (long) ledger.broken(0, tooLong(long));
    const isCut = this.#dropped.has(name);
    const draft = isCut || long ? undefined : caseFor(name, spans, ledger);
    const broken = ledger.entries.find((one) => one.broken)?.message;
    const fault = faultOfExport(requestSpansIn(spans));
    const unread = broken ?? (draft ? undefined : NO_MESSAGES);
    const why = isCut ? CUT : unread && (fault ?? unread);
    const list = Array.isArray(draft?.keys.transcript) ? draft.keys.transcript : [];
    const read = readMessages(list);
    const agents = list.map((one) => textIn(mappingOf(one), 'agent'));
    const services = spans
      .map(({ attributes }) => textIn(attributes, 'service.name'))
      .filter((one) => one?.startsWith('unknown_service') === false);
    const isIncomplete = [...originsOf(spans).values()].some(({ isOrphan }) => isOrphan);
    const problem = why !== undefined && isIncomplete && !isCut ? `${WAITING} ${why}` : why;
    const shown: ReceivedConversation = {
      id,
      name: draft?.opening ?? spans[0]?.name ?? '',
      agent: [services[0], ...agents].findLast(Boolean),
      conversation: withToolTimes(toConversation(read.messages, read.notes), spans),
      draft: problem === undefined ? draft : undefined,
      problem,
      notes: [
        ...ledger.entries.filter((one) => !one.broken).map(({ message }) => message),
        ...(isIncomplete ? [INCOMPLETE] : []),
        ...(fault !== undefined && why === undefined ? [fault] : []),
      ],
      time: Date.now(),
    };
    return { shown, messages: list.map(plainMessage) };
  }

  /**
   * Without a session id, each turn is a trace of its own, whose first request repeats the turns before. Adds such a
   * turn to the conversation that it continues, unless that makes the conversation unclear.
   *
   * @returns whether it was added
   */
  #join(name: string, messages: readonly string[]): boolean {
    let tries = 0;
    for (const [other, earlier] of this.#sessions) {
      const { length } = earlier.messages;
      const isEarlier = length > 0 && length < messages.length && this.#traces.has(other);
      if (!isEarlier || earlier.messages.some((one, index) => one !== messages[index])) continue;
      tries += 1;
      if (tries > MAX_TRIES) return false;
      const spans = [...this.#spansOf(other), ...this.#spansOf(name)];
      const joined = this.#read(other, spans, earlier.shown.id);
      if (joined.shown.problem !== undefined || joined.messages.length < messages.length) continue;
      const own = this.#sessions.get(name)?.traces ?? [];
      for (const trace of [...own].flatMap((id) => this.#traces.get(id) ?? [])) {
        trace.continues = other;
        trace.sessions = rename(trace.sessions, name, other);
      }
      this.#sessions.delete(name);
      this.#sessions.delete(other);
      this.#sessions.set(other, { traces: new Set([...earlier.traces, ...own]), ...joined });
      return true;
    }
    return false;
  }

  #dropOldest(): void {
    const [other] = this.#others.keys();
    const [oldest = ''] = this.#traces.keys();
    if (other !== undefined) {
      this.#dropTrace(other);
      return;
    }
    const [session] = this.#traces.get(oldest)?.sessions.keys() ?? [];
    if (session !== undefined) this.#dropSession(session);
    else {
      this.#dropTrace(oldest);
      this.dropped += 1;
    }
  }

  #dropSession(name: string): void {
    const { traces = [] } = this.#sessions.get(name) ?? {};
    for (const trace of [...traces]) this.#dropTrace(trace);
    this.#sessions.delete(name);
    addRecent(this.#dropped, name, MAX_DROPPED);
    this.dropped += 1;
  }

  #dropTrace(id: string): void {
    const trace = this.#traces.get(id) ?? this.#others.get(id);
    if (!trace) return;
    this.#spans -= trace.spans.size;
    this.#size -= trace.size;
    this.#traces.delete(id);
    this.#others.delete(id);
    this.#changed.delete(id);
    for (const session of trace.sessions.keys()) this.#leave(session, id);
    addRecent(this.#dropped, id, MAX_DROPPED);
  }
}

/** Adds how long tools took. */
function withToolTimes(conversation: Conversation, spans: readonly Span[]): Conversation {
  const items = turnsOf(conversation).flatMap((turn) => turn.items);
  const calls = items.flatMap((item) => (item.kind === 'tool-call' ? [item.call] : []));
  const times = callTimes(calls, spans);
  if (times.size === 0) return conversation;
  const timed = (item: TurnItem): TurnItem => {
    if (item.kind !== 'tool-call') return item;
    const latency = times.get(item.call.id);
    return latency === undefined ? item : { ...item, latency };
  };
  const entries = conversation.entries.map((entry) =>
    entry.kind === 'turn' ? { ...entry, items: entry.items.map(timed) } : entry,
  );
  return { ...conversation, entries };
}

/** Reading more would block the editor. */
function tooLong({ name }: Span): string {
  return `The span "${name}" has more than ${readable(LIMITS.reply)} characters.`;
}

function isRelevant({ attributes, events }: Span): boolean {
  const names = [attributes, ...events.map((event) => event.attributes)].flatMap(Object.keys);
  return [...names, ...events.map(({ name }) => name)].some((name) => RELEVANT.test(name));
}

function rename<Value>(
  map: ReadonlyMap<string, Value>,
  from: string,
  to: string,
): Map<string, Value> {
  return new Map([...map].map(([key, value]) => [key === from ? to : key, value]));
}

/** A message without the parts that requests don't repeat. */
function plainMessage(message: unknown): string {
  const { agent: _agent, retrieval_context: _context, ...plain } = mappingOf(message);
  return JSON.stringify(plain);
}

const NEW_TRACE = { size: 0, isRelevant: false, sessions: new Map() };

const NOTHING: ReceivedConversation = {
  id: '',
  name: '',
  conversation: toConversation([], []),
  notes: [],
  time: 0,
};
