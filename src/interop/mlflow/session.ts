import { isMapping, jsonOrText, type Mapping, mappingOf, stringOf } from '../../core/data/data.ts';
import type { Message, Tool } from '../../core/message.ts';
import { readMessages } from '../../messages/readMessages.ts';
import { attributesOf, innermost } from '../../traces/spans.ts';
import { continueThread, type Exchange } from '../exchanges.ts';
import { toolsIn } from '../fields.ts';
import type { TraceInfo, WireSpan } from './api.ts';

/** A span with its logged values. */
export interface Span {
  readonly id: string;
  readonly parent: string | undefined;
  /** Nanoseconds since 1970. The last digits are imprecise. */
  readonly start: number;
  readonly type: string;
  readonly name: string;
  readonly inputs: unknown;
  readonly outputs: unknown;
  /** The tools offered to the span's model. */
  readonly tools: unknown;
}

/** Sorted by start. */
export function readSpans(given: readonly WireSpan[]): Span[] {
  const inOrder = [...given].sort((a, b) => startOf(a) - startOf(b));
  return inOrder.map((span) => {
    const attributes = valuesOf(span.attributes);
    return {
      id: span.span_id,
      parent: span.parent_span_id || undefined,
      start: startOf(span),
      type: stringOf(attributes['mlflow.spanType'] ?? ''),
      name: span.name,
      inputs: attributes['mlflow.spanInputs'],
      outputs: attributes['mlflow.spanOutputs'],
      tools: attributes['mlflow.chat.tools'] ?? mappingOf(attributes['mlflow.spanInputs']).tools,
    };
  });
}

function startOf({ start_time_unix_nano: nanoseconds }: WireSpan): number {
  return Number(nanoseconds);
}

/** A span's values. The tracking store uses OTLP's format; artifacts use a mapping with JSON strings. */
function valuesOf(given: unknown): Mapping {
  const attributes = attributesOf(given);
  if (Array.isArray(given)) return attributes;
  const values = Object.entries(attributes).map(([key, value]) => [
    key,
    typeof value === 'string' ? jsonOrText(value) : value,
  ]);
  return Object.fromEntries(values);
}

/** The part of a conversation that is in one trace. */
export interface TraceConversation {
  readonly exchanges: readonly Exchange[];
  /** Number of model requests outside the conversation, such as safety checks. */
  readonly besides: number;
  /** Texts that were retrieved during the trace. */
  readonly retrieved: readonly string[];
  readonly tools: unknown;
}

/** Keys under which an application's own functions store text, in order of priority. */
const QUESTIONS = [
  'message',
  'question',
  'query',
  'input',
  'prompt',
  'text',
  'user_input',
  'content',
];
const ANSWERS = ['response', 'answer', 'output', 'content', 'text', 'message', 'result'];

/**
 * Reads a trace's requests to models if the last answer is the trace's reply. Otherwise, reads the outermost span's
 * input and output, and the trace's tool calls.
 */
export function conversationInTrace(spans: readonly Span[]): TraceConversation {
  const root = spans.find(({ parent }) => parent === undefined) ?? spans[0];
  const reply = root && textIn(root.outputs, ANSWERS);
  const models = innermost(
    spans,
    spans.filter(({ type }) => type === 'CHAT_MODEL' || type === 'LLM'),
  );
  const asked = modelExchanges(models, reply);
  return {
    exchanges: asked ?? plainExchange(root, reply, spans),
    besides: models.length - (asked?.length ?? 0),
    retrieved: spans.filter(({ type }) => type === 'RETRIEVER').flatMap(textsRetrieved),
    tools: spans.map(({ tools }) => tools).findLast((tools) => Array.isArray(tools)),
  };
}

/** Requests whose answer was a tool call or the reply. */
function modelExchanges(
  models: readonly Span[],
  reply: string | undefined,
): Exchange[] | undefined {
  const exchanges = models.flatMap((span) => exchangeOf(span) ?? []);
  const end = exchanges.findLastIndex(({ output }) => {
    const said = output.map(({ content }) => content).join('');
    return reply === undefined ? said.trim() !== '' : said.trim() === reply.trim();
  });
  if (end < 0) return undefined;
  return exchanges.filter(
    ({ output }, index) =>
      index === end ||
      (index < end && output.some((one) => one.role === 'assistant' && one.toolCalls)),
  );
}

function exchangeOf({ inputs, outputs }: Span): Exchange | undefined {
  const input = messagesIn(requestOf(inputs));
  const output = messagesIn(answerOf(outputs));
  return input && output ? { input, output } : undefined;
}

function requestOf(given: unknown): unknown {
  const inputs = parseText(given);
  if (Array.isArray(inputs))
    return inputs.length === 1 && Array.isArray(inputs[0]) ? inputs[0] : inputs;
  const { messages, input, instructions, system } = mappingOf(inputs);
  const list = Array.isArray(messages) ? messages : input;
  const said = typeof list === 'string' ? [{ role: 'user', content: list }] : list;
  if (!Array.isArray(said)) return undefined;
  // LangChain logs one list for each conversation in a batch.
  const own = said.length === 1 && Array.isArray(said[0]) ? said[0] : said;
  const told = instructions ?? system;
  return typeof told === 'string' ? [{ role: 'system', content: told }, ...own] : own;
}

function answerOf(given: unknown): unknown {
  const outputs = parseText(given);
  if (typeof outputs === 'string') return [{ role: 'assistant', content: outputs }];
  if (Array.isArray(outputs)) return outputs;
  const { choices, output, messages, message, generations, role } = mappingOf(outputs);
  if (Array.isArray(choices)) {
    const chosen = mappingOf(choices[0]).message;
    return isMapping(chosen) ? [chosen] : undefined;
  }
  if (Array.isArray(output)) return output;
  if (Array.isArray(messages)) return messages;
  if (isMapping(message)) return [message];
  if (Array.isArray(generations)) {
    const first = Array.isArray(generations[0]) ? generations[0][0] : generations[0];
    return [mappingOf(first).message ?? { role: 'assistant', content: mappingOf(first).text }];
  }
  return role === undefined ? undefined : [outputs];
}

function parseText(value: unknown): unknown {
  return typeof value === 'string' ? jsonOrText(value) : value;
}

/** Undefined if these aren't messages. */
function messagesIn(list: unknown): Message[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const { messages, problems } = readMessages(list);
  // One side is enough, because the other side is in the answer or the request.
  const wrong = problems.some(({ code }) => !/^no-(user|assistant)-message$/.test(code));
  return wrong ? undefined : messages.map(({ message }) => message);
}

function plainExchange(
  root: Span | undefined,
  reply: string | undefined,
  spans: readonly Span[],
): Exchange[] {
  const question = root && (textIn(root.inputs, QUESTIONS) ?? lastOfUser(root.inputs));
  if (question === undefined || reply === undefined) return [];
  const used = spans.filter(({ type }) => type === 'TOOL');
  const calls = used.map(({ id, name, inputs }) => ({ id, name, arguments: inputs ?? {} }));
  const calling: Message[] = [{ role: 'assistant', content: '', toolCalls: calls }];
  const results = used.map(({ id, outputs }): Message => {
    const content = typeof outputs === 'string' ? outputs : (JSON.stringify(outputs) ?? '');
    return { role: 'tool', callId: id, content };
  });
  const output: Message[] = [...results, { role: 'assistant', content: reply }];
  return [
    {
      input: [{ role: 'user', content: question }],
      output: calls.length > 0 ? [...calling, ...output] : output,
    },
  ];
}

function lastOfUser(inputs: unknown): string | undefined {
  return messagesIn(requestOf(inputs))?.findLast(({ role }) => role === 'user')?.content;
}

/** The given text, the text of the last reply in it, or the text under one of the keys. */
function textIn(given: unknown, keys: readonly string[]): string | undefined {
  const value = parseText(given);
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  const said = messagesIn(answerOf(value))?.findLast(({ role }) => role === 'assistant')?.content;
  if (keys === ANSWERS && said) return said;
  const mapping = mappingOf(value);
  const isText = (one: unknown): one is string => typeof one === 'string' && one !== '';
  const texts = Object.values(mapping).filter(isText);
  return (
    keys.map((key) => mapping[key]).find(isText) ?? (texts.length === 1 ? texts[0] : undefined)
  );
}

function textsRetrieved({ outputs }: Span): string[] {
  const list = Array.isArray(outputs) ? outputs : [];
  return list.flatMap((one) => {
    if (typeof one === 'string') return [one];
    const { page_content, content, text } = mappingOf(one);
    const found = page_content ?? content ?? text;
    return typeof found === 'string' ? [found] : [];
  });
}

export const SESSION = 'mlflow.trace.session';

/** A session's traces without their spans, oldest first. */
export interface Session {
  readonly id: string;
  readonly traces: readonly TraceInfo[];
}

/** A session's conversation. */
export interface SessionConversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** For each trace, the number of the turn with its reply. */
  readonly turns: ReadonlyMap<string, number>;
  /** Traces without messages. */
  readonly silent: readonly string[];
  /** Number of requests that were left out because they don't continue the conversation. */
  readonly branches: number;
}

/** Groups pages of traces by session. */
export class Sessions {
  readonly #traces = new Map<string, Map<string, TraceInfo>>();
  /** Number of traces without a session. */
  withoutSession = 0;

  add(traces: readonly TraceInfo[]): void {
    for (const info of traces) {
      const id = info.trace_metadata[SESSION] ?? '';
      if (id === '') this.withoutSession += 1;
      else {
        const own = this.#traces.get(id) ?? new Map<string, TraceInfo>();
        this.#traces.set(id, own.set(info.trace_id, info));
      }
    }
  }

  /** All sessions, sorted by their first trace. */
  all(): Session[] {
    const byTime = (a: TraceInfo, b: TraceInfo) =>
      compare(a.request_time, b.request_time) || compare(a.trace_id, b.trace_id);
    const sessions = [...this.#traces].map(([id, traces]) => ({
      id,
      traces: [...traces.values()].sort(byTime),
    }));
    const timeOf = ({ traces }: Session) => traces[0]?.request_time ?? '';
    return sessions.sort((a, b) => compare(timeOf(a), timeOf(b)) || compare(a.id, b.id));
  }
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Sorts the traces by start time in nanoseconds, because servers sort them only by milliseconds. */
export function sortTraces(session: Session, spans: ReadonlyMap<string, readonly Span[]>): Session {
  const began = ({ trace_id: id }: TraceInfo) => spans.get(id)?.[0]?.start ?? 0;
  const traces = [...session.traces].sort(
    (a, b) => compare(a.request_time, b.request_time) || began(a) - began(b),
  );
  return { ...session, traces };
}

/** Joins the conversations of a session's traces. */
export function conversationInSession(
  { traces }: Session,
  spans: ReadonlyMap<string, readonly Span[]>,
): SessionConversation {
  return joinTraces(
    traces.map(({ trace_id: id }) => ({ id, ...conversationInTrace(spans.get(id) ?? []) })),
  );
}

/** Joins traces that may repeat earlier messages. */
export function joinTraces(
  talks: readonly (TraceConversation & { readonly id: string })[],
): SessionConversation {
  let said: readonly Message[] = [];
  const joinedExchanges: Exchange[] = [];
  let branches = 0;
  const replies = new Map<string, number>();
  let tools: readonly Tool[] = [];
  for (const { id, exchanges, retrieved, tools: given } of talks) {
    for (const exchange of exchanges) {
      const more = continueThread({ messages: said, exchanges: joinedExchanges }, exchange);
      if (more) joinedExchanges.push(exchange);
      else branches += 1;
      said = more ?? said;
    }
    said = addRetrieved(said, retrieved);
    if (exchanges.length > 0) replies.set(id, said.length);
    tools = toolsIn(given, () => {}) ?? tools;
  }
  const silent = talks.flatMap(({ id, exchanges }) => (exchanges.length === 0 ? [id] : []));
  return { messages: said, tools, turns: turnsAt(said, replies), silent, branches };
}

function addRetrieved(said: readonly Message[], retrieved: readonly string[]): readonly Message[] {
  const last = said.at(-1);
  if (last?.role !== 'assistant' || retrieved.length === 0) return said;
  return [...said.slice(0, -1), { ...last, retrievalContext: [...retrieved] }];
}

/** Maps each trace's number of messages to the number of the turn that contains the last one. */
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
