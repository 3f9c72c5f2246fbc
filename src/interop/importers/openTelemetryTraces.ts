import { addTo, isMapping, type Mapping, mappingOf } from '../../core/data/data.ts';
import type { Message } from '../../core/message.ts';
import { partOf, spokenCase } from '../conversation.ts';
import { conversationOf } from '../exchanges.ts';
import { parsed, textIn, toolsIn } from '../fields.ts';
import type { DraftCase, Importer, Ledger, Row } from '../importer.ts';
import { innermost } from '../innermost.ts';
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
    const spans = rows.flatMap(spansOf).sort(byStart);
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

/** A span without a session is of its trace's, else the trace is one. */
function sessionsOf(spans: readonly Span[]): Map<string, Span[]> {
  const ofTraces = new Map<string, string>();
  for (const span of spans) {
    const own = textIn(span.attributes, ...SESSION);
    if (own !== undefined && !ofTraces.has(span.trace)) ofTraces.set(span.trace, own);
  }
  const sessions = new Map<string, Span[]>();
  for (const span of spans) {
    const own = textIn(span.attributes, ...SESSION);
    addTo(sessions, own ?? ofTraces.get(span.trace) ?? span.trace, span);
  }
  return sessions;
}

interface Asked extends Span {
  readonly said: SpanMessages;
}

function caseFor(session: string, spans: readonly Span[], ledger: Ledger): DraftCase | undefined {
  const asked = askedIn(spans);
  const exchanges = asked.flatMap(({ line, name, said }) => {
    const piece = { line, what: `The span "${name}"` };
    const input = partOf(said.input, piece, ledger);
    const output = partOf(said.output, piece, ledger);
    return input && output ? [{ input, output }] : [];
  });
  const messages = withRetrieved(conversationOf(exchanges), spans);
  const line = spans[0]?.line ?? 1;
  if (messages.length === 0) return undefined;
  const tools = asked.map((span) => toolsOf(span, ledger)).findLast((one) => one !== undefined);
  // A trace's own id says nothing to a person.
  const name = spans.some(({ trace }) => trace === session) ? undefined : session;
  return spokenCase(messages, { line, name, keys: { tools } }, ledger);
}

/** The innermost spans with messages. */
function askedIn(spans: readonly Span[]): Asked[] {
  const asked = spans.flatMap((span) => {
    const said = messagesOfSpan(span);
    return said ? [{ ...span, said }] : [];
  });
  return innermost(spans, asked);
}

function toolsOf({ attributes, line }: Span, ledger: Ledger): unknown[] | undefined {
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
