import { addTo, mappingOf, parseJsonText, textIn } from '../../core/data/data.ts';
import type { Message, Tool } from '../../core/message.ts';
import {
  agentNamedBy,
  isTool,
  originsOf,
  requestSpansIn,
  retrievedBy,
} from '../../traces/origins.ts';
import {
  byStart,
  messagesOfSpan,
  nestedUnder,
  originIn,
  resourcesIn,
  SESSION_KEYS,
  type Span,
  type SpanMessages,
  spansIn,
} from '../../traces/spans.ts';
import { CAPTURE } from '../../traces/turnReport.ts';
import { caseFromMessages, readPartial } from '../conversation.ts';
import { callsIn, type Exchange, findConversation, insertResults } from '../exchanges.ts';
import { toolsIn } from '../fields.ts';
import type { DraftCase, Importer, ImportRow, Ledger } from '../importer.ts';

/** OTLP traces as JSON, with the conventions of OpenTelemetry, OpenInference, OpenLLMetry, or the AI SDK. */
export const openTelemetryTraces: Importer = {
  name: 'OpenTelemetry traces',
  takes: 'OTLP JSON with `gen_ai.*`, OpenInference, OpenLLMetry, or AI SDK attributes',
  tag: 'trace',
  matches: (value) => resourcesIn(value).length > 0,
  read(rows, ledger) {
    const all = rows.flatMap(spansOf);
    const spans = withoutDuplicates(all).sort(byStart);
    ledger.skip('spans', 'exported twice', all.length - spans.length);
    const sessions = sessionsOf(spans);
    const cases = [...sessions].flatMap(([session, own]) => caseFor(session, own, ledger) ?? []);
    if (cases.length === 0 && spans.length > 0 && ledger.entries.length === 0) {
      ledger.broken(1, `None of the ${spans.length} spans contains messages. ${CAPTURE}`);
    }
    const asked = requestSpansIn(spans);
    skipOthers(spans, asked, ledger);
    return {
      cases,
      versions: asked.map(({ said }) => said.convention),
      producers: [...new Set(asked.map(producerOf))],
    };
  },
};

/** Counts the spans that are neither requests nor add to a conversation. */
function skipOthers(spans: readonly Span[], asked: readonly Span[], ledger: Ledger): void {
  const isAsked = new Set(asked.map(({ id }) => id));
  const others = spans.filter(({ id }) => !isAsked.has(id));
  const around = others.filter((span) => messagesOfSpan(span) !== undefined);
  const used = others.filter((span) => isTool(span) || retrievedBy(span).length > 0);
  const without = others.length - new Set([...around, ...used]).size;
  ledger.skip('spans', 'repeat the messages of the spans inside them', around.length);
  ledger.skip('spans', 'contain no messages', without);
}

const SCOPE = 'otel.scope.name';
const SCOPE_VERSION = 'otel.scope.version';

/** Frameworks by the names that their instrumentations have. */
const FRAMEWORKS: readonly (readonly [RegExp, string])[] = [
  [/langchain|langgraph/, 'LangChain or LangGraph'],
  [/openai[._-]agents/, 'OpenAI Agents SDK'],
  [/^gcp\.vertex\.agent|adk/, 'Google ADK'],
  [/^ai$/, 'AI SDK'],
  [/^pydantic-ai|logfire/, 'Pydantic AI'],
  [/llama.?index/, 'LlamaIndex'],
  [/crewai/, 'CrewAI'],
  [/^strands/, 'Strands Agents'],
  [/mastra/, 'Mastra'],
];

/** Such as `Pydantic AI (pydantic-ai 2.68.0)`. */
function producerOf({ attributes }: Span): string {
  const scope = textIn(attributes, SCOPE) ?? 'an unnamed instrumentation';
  const name = [scope, textIn(attributes, SCOPE_VERSION) ?? ''].join(' ').trim();
  const framework = FRAMEWORKS.find(([pattern]) => pattern.test(scope))?.[1];
  return framework === undefined ? name : `${framework} (${name})`;
}

function spansOf({ value, line }: ImportRow): Span[] {
  return spansIn(value, line, (resource, { name, version }) => ({
    ...originIn(resource),
    ...(typeof name === 'string' && { [SCOPE]: name }),
    ...(typeof version === 'string' && { [SCOPE_VERSION]: version }),
  }));
}

/** Removes duplicate spans, which exporters send when they retry a request. */
function withoutDuplicates(spans: readonly Span[]): Span[] {
  const known = new Set<string>();
  return spans.filter(({ trace, id }) => {
    const key = `${trace} ${id}`;
    const isNew = id === '' || !known.has(key);
    known.add(key);
    return isNew;
  });
}

/**
 * Groups spans by session. A span without a session belongs to its trace's session. If the trace has none, the trace
 * itself is the session.
 */
export function sessionsOf(spans: readonly Span[]): Map<string, Span[]> {
  const ofTraces = new Map<string, string>();
  for (const span of spans) {
    const own = textIn(span.attributes, ...SESSION_KEYS);
    if (own !== undefined && !ofTraces.has(span.trace)) ofTraces.set(span.trace, own);
  }
  const sessions = new Map<string, Span[]>();
  for (const span of spans) {
    const ofTrace = ofTraces.get(span.trace) ?? span.trace;
    const isInner = isInTool(span, spans) || isOrphan(span, spans);
    const own = isInner ? ofTrace : textIn(span.attributes, ...SESSION_KEYS);
    addTo(sessions, own ?? ofTrace, span);
  }
  return sessions;
}

interface SpanExchange extends Exchange {
  readonly span: Span;
}

/** A session's spans as a case. If that isn't possible, the ledger says why. */
export function caseFor(
  session: string,
  spans: readonly Span[],
  ledger: Ledger,
): DraftCase | undefined {
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
    ledger.comparisons,
  );
  const line = spans[0]?.line ?? 1;
  if (refused !== undefined) {
    ledger.broken(line, `This conversation is unclear: ${refused}`);
    ledger.skip('spans', 'belong to a conversation that was left out', exchanges.length);
    return undefined;
  }
  ledger.skip('spans', 'do not continue the conversation', outer.length + branches.length);
  for (const { span } of [...outer, ...branches]) {
    ledger.lost(
      span.line,
      `The span "${span.name}" (${span.id}) was left out: it is a branch and does not continue the conversation.`,
    );
  }
  if (messages.length === 0) return undefined;
  const complete = addRetrieved(insertResults(messages, resultsIn(messages, spans)), spans);
  // By name, because each agent has its own instructions.
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

/** Adds the texts that retrievers returned to the replies that follow. */
function addRetrieved(messages: readonly Message[], spans: readonly Span[]): Message[] {
  const found = spans.flatMap((span) => {
    const texts = retrievedBy(span);
    return texts.length > 0 ? [texts] : [];
  });
  const replies = messages.filter(
    (message) => message.role === 'assistant' && message.toolCalls === undefined,
  );
  // Retrieved texts can be assigned to replies only if each reply has its own.
  if (found.length === 0 || found.length !== replies.length) return [...messages];
  return messages.map((message) => {
    const index = replies.indexOf(message);
    const retrievalContext = found[index];
    return message.role === 'assistant' && retrievalContext
      ? { ...message, retrievalContext }
      : message;
  });
}

/** Whether a tool made the request, in which case the request isn't part of the conversation with the user. */
function isInTool({ parent }: Span, spans: readonly Span[]): boolean {
  return originsOf(spans).get(parent)?.tool !== undefined;
}

/** Whether an enclosing span is missing, which means that the request's origin is unknown. */
function isOrphan({ parent }: Span, spans: readonly Span[]): boolean {
  return originsOf(spans).get(parent)?.isOrphan ?? parent !== '';
}

/** Matches user messages in which ADK repeats another agent's actions. */
const RETOLD =
  /^For context:[\s\S]{0,2000}?\[[^\]\n]{1,200}\] (?:said:|called tool `|`[^`]{1,200}` tool returned)/;

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
