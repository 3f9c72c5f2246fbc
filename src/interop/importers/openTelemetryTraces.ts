import { addTo, isMapping, type Mapping, mappingOf } from '../../core/data/data.ts';
import type { Message, Tool } from '../../core/message.ts';
import { partOf, spokenCase } from '../conversation.ts';
import { conversationOf, rivalry } from '../conversationOf.ts';
import { type Exchange, withResults } from '../exchanges.ts';
import { parsed, textIn, toolsIn } from '../fields.ts';
import type { DraftCase, Importer, Ledger, Row } from '../importer.ts';
import { innermost } from '../innermost.ts';
import { agentOf, isInTool, isOrphan, isTool, resultsIn, retoldIn } from './agentSpans.ts';
import { attributesOf, byStart, nestedUnder, type Span, spanOf } from './spanAttributes.ts';
import { messagesOfSpan, type SpanMessages } from './spanMessages.ts';

/** What a session is called, the most particular first. */
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
    const spans = distinct(rows.flatMap(spansOf)).sort(byStart);
    const sessions = sessionsOf(spans);
    const cases = [...sessions].flatMap(([session, own]) => caseFor(session, own, ledger) ?? []);
    if (cases.length === 0 && spans.length > 0 && ledger.entries.length === 0) {
      ledger.broken(
        1,
        `None of the ${spans.length} spans holds messages. Have your instrumentation capture content, such as by OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true.`,
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

/** Exporters that try again send spans twice. */
function distinct(spans: readonly Span[]): Span[] {
  const known = new Set<string>();
  return spans.filter(({ trace, id }) => {
    const key = `${trace} ${id}`;
    const isNew = id === '' || !known.has(key);
    known.add(key);
    return isNew;
  });
}

/** A span without a session is of its trace's, else the trace is one. */
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

interface Asked extends Span {
  readonly said: SpanMessages;
}

interface SpanExchange extends Exchange {
  readonly span: Span;
}

function caseFor(session: string, spans: readonly Span[], ledger: Ledger): DraftCase | undefined {
  const exchanges = askedIn(spans).flatMap((span) => exchangeOf(span, spans, ledger) ?? []);
  const nested = exchanges.filter(({ span }) => isInTool(span, spans));
  // An agent that is itself a tool has no conversation around it.
  const outer = nested.length < exchanges.length ? nested : [];
  const {
    messages,
    exchanges: own,
    branches,
    rivals,
  } = conversationOf(exchanges.filter((one) => !outer.includes(one)));
  const line = spans[0]?.line ?? 1;
  if (rivals) {
    const reason = rivalry(rivals, ({ span }) => `the span "${span.name}" (${span.id})`);
    ledger.broken(line, `This conversation is left out: ${reason}`);
    return undefined;
  }
  for (const { span } of [...outer, ...branches]) {
    ledger.lost(
      span.line,
      `The span "${span.name}" (${span.id}) is left out: it is a branch, and does not continue the conversation.`,
    );
  }
  if (messages.length === 0) return undefined;
  const told = withRetrieved(withResults(messages, resultsIn(messages, spans)), spans);
  const tools = toolsOfAll(
    own.map(({ span }) => span),
    ledger,
  );
  // A trace's own id says nothing to a person.
  const name = spans.some(({ trace }) => trace === session) ? undefined : session;
  return spokenCase(told, { line, name, keys: { tools } }, ledger);
}

function exchangeOf(span: Asked, spans: readonly Span[], ledger: Ledger): SpanExchange | undefined {
  const { line, name, said } = span;
  const piece = { line, what: `The span "${name}"` };
  const input = partOf(said.input, piece, ledger);
  const output = partOf(said.output, piece, ledger);
  if (!input || !output) return undefined;
  const agent = agentOf(span, spans);
  const named = output.map((one) =>
    one.role === 'assistant' && agent !== undefined ? { agent, ...one } : one,
  );
  return { span, input, output: named, retold: retoldIn(span, input) };
}

/** The innermost spans with messages: those around them repeat them. */
function askedIn(spans: readonly Span[]): Asked[] {
  const asked = spans.flatMap((span) => {
    const said = messagesOfSpan(span);
    return said ? [{ ...span, said }] : [];
  });
  // A request that a tool makes repeats nothing of the one that calls the tool.
  const others = spans.filter((span) => !isTool(span));
  return innermost(others, asked);
}

/** Tools of all agents, by name. */
function toolsOfAll(spans: readonly Span[], ledger: Ledger): unknown[] | undefined {
  const tools = new Map<string, Tool>();
  for (const span of spans) {
    for (const tool of toolsOf(span, ledger) ?? []) tools.set(tool.name, tool);
  }
  return tools.size > 0 ? [...tools.values()] : undefined;
}

function toolsOf({ attributes, line }: Span, ledger: Ledger): Tool[] | undefined {
  const inferred = nestedUnder(attributes, 'llm.tools');
  const given =
    attributes['gen_ai.tool.definitions'] ??
    attributes['ai.prompt.tools'] ??
    (Array.isArray(inferred)
      ? inferred.map((one) => parsed(mappingOf(mappingOf(one).tool).json_schema))
      : nestedUnder(attributes, 'llm.request.functions'));
  return toolsIn(given, line, ledger);
}

/** OpenInference's retrievers: the reply after them rests on what they found. */
function withRetrieved(messages: readonly Message[], spans: readonly Span[]): Message[] {
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
  // Only where each reply has its own is it clear which is whose.
  if (found.length === 0 || found.length !== replies.length) return [...messages];
  return messages.map((message) => {
    const index = replies.indexOf(message);
    const retrievalContext = found[index];
    return message.role === 'assistant' && retrievalContext
      ? { ...message, retrievalContext }
      : message;
  });
}
