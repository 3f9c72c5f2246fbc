import { addTo, isMapping, type Mapping, mappingOf, memoize } from '../../core/data/data.ts';
import type { Message, Tool } from '../../core/message.ts';
import { caseFromMessages, readPartial } from '../conversation.ts';
import { callsIn, type Exchange, findConversation, insertResults } from '../exchanges.ts';
import { parseJsonText, textIn, toolsIn } from '../fields.ts';
import type { DraftCase, Importer, Ledger, Row } from '../importer.ts';
import {
  attributesOf,
  byStart,
  innermost,
  messagesOfSpan,
  nestedUnder,
  type Span,
  type SpanMessages,
  spanOf,
} from './spans.ts';

/** Attributes with the id of a session, most specific first. */
const SESSION = [
  'gen_ai.conversation.id',
  'session.id',
  'traceloop.association.properties.session_id',
  'langfuse.session.id',
  'ai.telemetry.metadata.sessionId',
];

/** OTLP traces as JSON, with the conventions of OpenTelemetry, OpenInference, OpenLLMetry, or the AI SDK. */
export const openTelemetryTraces: Importer = {
  name: 'OpenTelemetry traces',
  takes: 'OTLP JSON with `gen_ai.*`, OpenInference, OpenLLMetry, or AI SDK attributes',
  tag: 'trace',
  matches: (value) => isMapping(value) && resourcesIn(value).length > 0,
  read(rows, ledger) {
    const spans = withoutDuplicates(rows.flatMap(spansOf)).sort(byStart);
    const sessions = sessionsOf(spans);
    const cases = [...sessions].flatMap(([session, own]) => caseFor(session, own, ledger) ?? []);
    if (cases.length === 0 && spans.length > 0 && ledger.entries.length === 0) {
      ledger.broken(
        1,
        `None of the ${spans.length} spans contains messages. Let your instrumentation capture content, for example with OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true.`,
      );
    }
    return { cases };
  },
};

function listIn(value: unknown, ...keys: readonly string[]): Mapping[] {
  const list = keys.map((key) => mappingOf(value)[key]).find(Array.isArray);
  return Array.isArray(list) ? list.filter(isMapping) : [];
}

function resourcesIn(value: Mapping): Mapping[] {
  return listIn(value, 'resourceSpans', 'resource_spans');
}

function spansOf({ value, line }: Row): Span[] {
  return resourcesIn(mappingOf(value)).flatMap((resource) => {
    const attributes = attributesOf(mappingOf(resource.resource).attributes);
    const session = Object.fromEntries(
      SESSION.flatMap((key) => (key in attributes ? [[key, attributes[key]]] : [])),
    );
    return listIn(resource, 'scopeSpans', 'scope_spans', 'instrumentationLibrarySpans')
      .flatMap((scope) => listIn(scope, 'spans'))
      .map((span) => spanOf(span, line, session));
  });
}

/** Removes duplicate spans, which exporters send when they retry. */
function withoutDuplicates(spans: readonly Span[]): Span[] {
  const known = new Set<string>();
  return spans.filter(({ trace, id }) => {
    const key = `${trace} ${id}`;
    const isNew = id === '' || !known.has(key);
    known.add(key);
    return isNew;
  });
}

/** Spans without a session belong to their trace's session. If it has none, the trace is a session. */
function sessionsOf(spans: readonly Span[]): Map<string, Span[]> {
  const ofTraces = new Map<string, string>();
  for (const span of spans) {
    const own = textIn(span.attributes, ...SESSION);
    if (own !== undefined && !ofTraces.has(span.trace)) ofTraces.set(span.trace, own);
  }
  const sessions = new Map<string, Span[]>();
  for (const span of spans) {
    const ofTrace = ofTraces.get(span.trace) ?? span.trace;
    const isInner = isInTool(span, spans) || isOrphan(span, spans);
    const own = isInner ? ofTrace : textIn(span.attributes, ...SESSION);
    addTo(sessions, own ?? ofTrace, span);
  }
  return sessions;
}

interface SpanExchange extends Exchange {
  readonly span: Span;
}

function caseFor(session: string, spans: readonly Span[], ledger: Ledger): DraftCase | undefined {
  const exchanges = requestSpansIn(spans).flatMap((span) => exchangeOf(span, spans, ledger) ?? []);
  const nested = exchanges.filter(({ span }) => isInTool(span, spans));
  // If the agent itself is a tool, there is no conversation around it.
  const outer = nested.length < exchanges.length ? nested : [];
  const isOuter = new Set(outer);
  const {
    messages,
    exchanges: own,
    branches,
    refused,
  } = findConversation(
    exchanges.filter((one) => !isOuter.has(one)),
    ({ span }) => `the span "${span.name}" (${span.id})`,
  );
  const line = spans[0]?.line ?? 1;
  if (refused !== undefined) {
    ledger.broken(line, `This conversation is left out: ${refused}`);
    return undefined;
  }
  for (const { span } of [...outer, ...branches]) {
    ledger.lost(
      span.line,
      `The span "${span.name}" (${span.id}) is left out: it is a branch, and does not continue the conversation.`,
    );
  }
  if (messages.length === 0) return undefined;
  const complete = addRetrieved(insertResults(messages, resultsIn(messages, spans)), spans);
  // By name, because each agent has its own.
  const tools = new Map<string, Tool>();
  for (const { span } of own) {
    for (const tool of toolsOf(span, ledger) ?? []) tools.set(tool.name, tool);
  }
  // A trace's id is meaningless to people.
  const name = spans.some(({ trace }) => trace === session) ? undefined : session;
  const keys = tools.size > 0 ? { tools: [...tools.values()] } : {};
  return caseFromMessages(complete, { line, name, keys }, ledger);
}

function exchangeOf(
  span: Span & { readonly said: SpanMessages },
  spans: readonly Span[],
  ledger: Ledger,
): SpanExchange | undefined {
  const { line, name, said } = span;
  const piece = { line, what: `The span "${name}"` };
  const input = readPartial(said.input, piece, ledger);
  const output = readPartial(said.output, piece, ledger);
  if (!input || !output) return undefined;
  const agent = agentNamedBy(span) ?? originsOf(spans).get(span.parent)?.agent;
  const named = output.map((one) =>
    one.role === 'assistant' && agent !== undefined ? { agent, ...one } : one,
  );
  return { span, input, output: named, retold: retoldIn(span, input) };
}

/** The innermost spans with messages, which the spans around them repeat. */
function requestSpansIn(spans: readonly Span[]) {
  const asked = spans.flatMap((span) => {
    const said = messagesOfSpan(span);
    return said ? [{ ...span, said }] : [];
  });
  // A request made by a tool doesn't repeat the request that calls the tool.
  const others = spans.filter((span) => !isTool(span));
  return innermost(others, asked);
}

function toolsOf({ attributes, line }: Span, ledger: Ledger): Tool[] | undefined {
  const inferred = nestedUnder(attributes, 'llm.tools');
  const given =
    attributes['gen_ai.tool.definitions'] ??
    attributes['ai.prompt.tools'] ??
    (Array.isArray(inferred)
      ? inferred.map((one) => parseJsonText(mappingOf(mappingOf(one).tool).json_schema))
      : nestedUnder(attributes, 'llm.request.functions'));
  return toolsIn(given, ledger.lostAt(line));
}

/** Adds what OpenInference's retrievers returned to the replies after them. */
function addRetrieved(messages: readonly Message[], spans: readonly Span[]): Message[] {
  const found = spans.flatMap(({ attributes }) => {
    const documents = nestedUnder(attributes, 'retrieval.documents');
    if (!Array.isArray(documents)) return [];
    const texts = documents.flatMap(
      (one) => textIn(mappingOf(mappingOf(one).document), 'content') ?? [],
    );
    return texts.length > 0 ? [texts] : [];
  });
  const replies = messages.filter(
    (message) => message.role === 'assistant' && message.toolCalls === undefined,
  );
  // Retrieved text can be assigned only if each reply has its own.
  if (found.length === 0 || found.length !== replies.length) return [...messages];
  return messages.map((message) => {
    const index = replies.indexOf(message);
    const retrievalContext = found[index];
    return message.role === 'assistant' && retrievalContext
      ? { ...message, retrievalContext }
      : message;
  });
}

/** Attributes of tool spans, by convention. */
const TOOL_SPANS: readonly (readonly [string, string])[] = [
  ['gen_ai.operation.name', 'execute_tool'],
  ['openinference.span.kind', 'TOOL'],
  ['traceloop.span.kind', 'tool'],
  ['ai.operationId', 'ai.toolCall'],
];

function isTool({ attributes }: Span): boolean {
  return TOOL_SPANS.some(([key, value]) => attributes[key] === value);
}

/** Whether a tool made the request, so that the user isn't part of the conversation. */
function isInTool({ parent }: Span, spans: readonly Span[]): boolean {
  return originsOf(spans).get(parent)?.hasTool ?? false;
}

/** Whether an enclosing span is missing, so that the request's origin is unknown. */
function isOrphan({ parent }: Span, spans: readonly Span[]): boolean {
  return originsOf(spans).get(parent)?.isOrphan ?? parent !== '';
}

/** Facts about a span, from itself and its enclosing spans. */
interface Origin {
  readonly hasTool: boolean;
  readonly isOrphan: boolean;
  /** The name of the innermost agent. */
  readonly agent: string | undefined;
}

/** By span id. Visits each span only once, however deeply spans are nested. */
const originsOf = memoize((spans: readonly Span[]): ReadonlyMap<string, Origin> => {
  const byId = new Map(spans.map((one) => [one.id, one]));
  const origins = new Map<string, Origin>();
  for (const span of byId.values()) {
    const chain = new Set<Span>();
    let at: Span | undefined = span;
    for (; at && !origins.has(at.id) && !chain.has(at); at = byId.get(at.parent)) chain.add(at);
    for (const one of [...chain].reverse()) {
      const around = origins.get(one.parent);
      origins.set(one.id, {
        hasTool: isTool(one) || (around?.hasTool ?? false),
        isOrphan: around?.isOrphan ?? (one.parent !== '' && !byId.has(one.parent)),
        agent: agentNamedBy(one) ?? around?.agent,
      });
    }
  }
  return origins;
});

/** Attributes with the name of a span's agent. */
const AGENT_NAMES = ['gen_ai.agent.name', 'agent.name', 'ai.telemetry.functionId'];

function agentNamedBy({ attributes }: Span): string | undefined {
  const isAgent = attributes['traceloop.span.kind'] === 'agent';
  return (
    textIn(attributes, ...AGENT_NAMES, ...(isAgent ? ['traceloop.entity.name'] : [])) ??
    graphAgentIn(attributes)
  );
}

/** LangGraph's path of graphs and nodes: `triage:f2358d51|model:ac7b` belongs to `triage`. */
function graphAgentIn(attributes: Mapping): string | undefined {
  const path =
    textIn(mappingOf(parseJsonText(attributes.metadata)), GRAPH_PATH) ??
    textIn(attributes, `traceloop.association.properties.${GRAPH_PATH}`);
  return path?.split('|').at(-2)?.split(':')[0];
}

const GRAPH_PATH = 'langgraph_checkpoint_ns';

/** In user messages, ADK repeats what other agents did. */
const RETOLD =
  /^For context:[\s\S]*\[[^\]\n]{1,200}\] (?:said:|called tool `|`[^`]+` tool returned)/;

function retoldIn({ attributes }: Span, input: readonly Message[]): Set<Message> {
  const isAdk = Object.keys(attributes).some((key) => key.startsWith('gcp.vertex.agent.'));
  const retold = input.filter(({ role, content }) => role === 'user' && RETOLD.test(content));
  return new Set(isAdk ? retold : []);
}

/** Results in tool spans, for calls without a result in the messages. */
function resultsIn(messages: readonly Message[], spans: readonly Span[]) {
  const answered = new Set(messages.flatMap((one) => (one.role === 'tool' ? [one.callId] : [])));
  const byCall = new Map(spans.map((one) => [one.attributes['gen_ai.tool.call.id'], one]));
  return callsIn(messages).flatMap(({ id }) => {
    const { attributes = {} } = byCall.get(id) ?? {};
    const content = textIn(attributes, 'gen_ai.tool.call.result', 'gcp.vertex.agent.tool_response');
    return answered.has(id) || content === undefined ? [] : [{ callId: id, content }];
  });
}
