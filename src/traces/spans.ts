import {
  isMapping,
  type Mapping,
  mappingOf,
  memoize,
  parseJsonText,
  pushAll,
  stringOf,
  textIn,
} from '../core/data/data.ts';

/** A span and its events, with attributes as plain values. */
export interface Span {
  readonly line: number;
  readonly id: string;
  readonly parent: string;
  readonly trace: string;
  readonly name: string;
  /** Whether the span is for serving a request, such as an HTTP request. */
  readonly isServer: boolean;
  /** Nanoseconds as decimal text, without leading zeros. */
  readonly start: string;
  readonly end: string;
  readonly attributes: Mapping;
  readonly events: readonly SpanEvent[];
  /** Number of attributes and events that the exporter left out. */
  readonly dropped: number;
}

interface SpanEvent {
  readonly name: string;
  /** In the same format as the span's `start`. */
  readonly time: string;
  readonly attributes: Mapping;
}

/** @param resource attributes of the resource that the span belongs to */
export function spanOf(value: unknown, line: number, resource: Mapping): Span {
  const span = mappingOf(value);
  const context = mappingOf(span.context ?? span.spanContext);
  return {
    line,
    id: textAt(span, 'spanId', 'span_id') || stringOf(context.span_id ?? context.spanId ?? ''),
    parent: textAt(span, 'parentSpanId', 'parent_span_id', 'parent_id'),
    trace:
      textAt(span, 'traceId', 'trace_id') || stringOf(context.trace_id ?? context.traceId ?? ''),
    name: textAt(span, 'name'),
    isServer: span.kind === SERVER || span.kind === 'SPAN_KIND_SERVER',
    start: textAt(span, 'startTimeUnixNano', 'start_time_unix_nano', 'start_time'),
    end: textAt(span, 'endTimeUnixNano', 'end_time_unix_nano', 'end_time'),
    attributes: { ...resource, ...attributesOf(span.attributes) },
    events: (Array.isArray(span.events) ? span.events : []).map(mappingOf).map((event) => ({
      name: stringOf(event.name),
      time: textAt(event, 'timeUnixNano', 'time_unix_nano', 'timestamp'),
      attributes: attributesOf(event.attributes),
    })),
    dropped: countAt(span, 'droppedAttributesCount') + countAt(span, 'droppedEventsCount'),
  };
}

const SERVER = 2;

function textAt(value: Mapping, ...keys: readonly string[]): string {
  return stringOf(keys.map((key) => value[key]).find(isThere) ?? '');
}

function countAt(value: Mapping, key: string): number {
  return typeof value[key] === 'number' ? value[key] : 0;
}

/** The spans of an export request. @param keep the attributes of the resource and the scope to copy to its spans */
export function spansIn(
  request: unknown,
  line: number,
  keep: (resource: Mapping, scope: Mapping) => Mapping = () => ({}),
): Span[] {
  return resourcesIn(request).flatMap((resource) => {
    const attributes = attributesOf(mappingOf(resource.resource).attributes);
    const scopes = listAt(resource, 'scopeSpans', 'scope_spans', 'instrumentationLibrarySpans');
    return scopes.flatMap((one) => {
      const kept = keep(attributes, mappingOf(one.scope ?? one.instrumentationLibrary));
      return listAt(one, 'spans').map((span) => spanOf(span, line, kept));
    });
  });
}

/** Attributes that contain a session's id, most specific first. */
export const SESSION_KEYS = [
  'gen_ai.conversation.id',
  'session.id',
  'traceloop.association.properties.session_id',
  'langfuse.session.id',
  'ai.telemetry.metadata.sessionId',
];

/** The attributes of a resource that say where its spans come from. */
export function originIn(resource: Mapping): Mapping {
  const keys = [...SESSION_KEYS, 'service.name'].filter((key) => Object.hasOwn(resource, key));
  return Object.fromEntries(keys.map((key) => [key, resource[key]]));
}

export function resourcesIn(request: unknown): Mapping[] {
  return listAt(request, 'resourceSpans', 'resource_spans');
}

function listAt(value: unknown, ...keys: readonly string[]): Mapping[] {
  const list = keys.map((key) => mappingOf(value)[key]).find(Array.isArray);
  return Array.isArray(list) ? list.filter(isMapping) : [];
}

/** Number of characters of a span's names, attributes, and events. */
export function sizeOfSpan({ name, attributes, events }: Span): number {
  const sizes = [attributes, ...events.map((event) => event.attributes)].map((mapping) =>
    Object.entries(mapping).reduce((sum, [key, value]) => {
      const isText = typeof value === 'string';
      return sum + key.length + (isText ? value.length : JSON.stringify(value ?? null).length);
    }, 100),
  );
  const names = [name, ...events.flatMap((event) => [event.name, event.time])];
  return [...sizes, ...names.map(({ length }) => length)].reduce((sum, one) => sum + one, 0);
}

/** Milliseconds since the epoch. */
export function millisOf(nanoseconds: string): number {
  return Number(nanoseconds) / 1e6;
}

export function byStart(a: Span, b: Span): number {
  return a.start.length - b.start.length || (a.start < b.start ? -1 : Number(a.start > b.start));
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Attributes as a mapping, from OTLP's list of keys and typed values, or from a plain mapping. */
export function attributesOf(given: unknown): Mapping {
  if (!Array.isArray(given)) return mappingOf(given);
  return Object.fromEntries(
    given.filter(isMapping).map(({ key, value }) => [stringOf(key), plainValue(value)]),
  );
}

function plainValue(given: unknown): unknown {
  const value = mappingOf(given);
  const [kind, inner] = Object.entries(value)[0] ?? [];
  switch (kind?.replace(/_v/, 'V')) {
    case 'arrayValue':
      return listOf(inner).map(plainValue);
    case 'kvlistValue':
      return attributesOf(mappingOf(inner).values);
    case 'intValue':
      return Number(inner);
    default:
      // OTLP represents null as a value without a kind.
      return inner ?? null;
  }
}

function listOf(value: unknown): unknown[] {
  const { values } = mappingOf(value);
  return Array.isArray(values) ? values : [];
}

/**
 * The nested value that attributes such as `llm.input_messages.0.message.role` form under a prefix; undefined if there
 * are none.
 */
export function nestedUnder(attributes: Mapping, prefix: string): unknown {
  const own = parseJsonText(attributes[prefix]);
  if (typeof own === 'object' && own !== null) return own;
  const root: Record<string, unknown> = Object.create(null);
  let found = false;
  for (const [key, value] of Object.entries(attributes)) {
    if (!key.startsWith(`${prefix}.`)) continue;
    const steps = key.slice(prefix.length + 1).split('.', MAX_STEPS + 1);
    if (steps.length > MAX_STEPS) continue;
    put(root, steps, value);
    found = true;
  }
  return found ? listsOf(root) : undefined;
}

/** Maximum number of steps in a nested attribute; the conventions have fewer. */
const MAX_STEPS = 50;

function put(root: Record<string, unknown>, steps: readonly string[], value: unknown): void {
  let at = root;
  for (const step of steps.slice(0, -1)) {
    const inner = at[step];
    if (typeof inner === 'object' && inner !== null) at = inner as Record<string, unknown>;
    else {
      const made: Record<string, unknown> = Object.create(null);
      at[step] = made;
      at = made;
    }
  }
  at[steps.at(-1) ?? ''] = value;
}

/** Converts mappings whose keys are numbers to lists. */
function listsOf(value: unknown): unknown {
  if (!isMapping(value)) return value;
  const keys = Object.keys(value);
  const isList = keys.length > 0 && keys.every((key) => /^\d{1,6}$/.test(key));
  if (!isList) {
    return Object.fromEntries(keys.map((key) => [key, listsOf(value[key])]));
  }
  return keys.sort((a, b) => Number(a) - Number(b)).map((key) => listsOf(value[key]));
}

interface SpanPosition {
  readonly id: string;
  /** The id of the enclosing span; empty or undefined if there is none. */
  readonly parent: string | undefined;
}

/**
 * The chosen spans that contain no other chosen ones: a framework's spans repeat its requests' spans.
 *
 * @param spans all spans, with their parents
 */
export function innermost<Span extends SpanPosition>(
  spans: readonly SpanPosition[],
  chosen: readonly Span[],
): Span[] {
  const parents = new Map(spans.map(({ id, parent }) => [id, parent]));
  const around = new Set<string>();
  for (const { parent } of chosen) {
    for (let at = parent; at && !around.has(at); at = parents.get(at)) around.add(at);
  }
  return chosen.filter(({ id }) => !around.has(id));
}

/** The messages in a request and in its answer, in known dialects. */
export interface SpanMessages extends Said {
  /** Name of the convention that the span follows. */
  readonly convention: string;
}

interface Said {
  readonly input: readonly unknown[];
  readonly output: readonly unknown[];
}

/**
 * The messages according to the conventions of OpenTelemetry, OpenInference, OpenLLMetry, the AI SDK, or Mastra;
 * undefined if there are none.
 */
export const messagesOfSpan = memoize((span: Span): SpanMessages | undefined => {
  for (const [convention, read] of CONVENTIONS) {
    const said = read(span);
    if (said)
      return said.input.length + said.output.length > 0 ? { convention, ...said } : undefined;
  }
  return undefined;
});

/** In order of priority. */
const CONVENTIONS: readonly (readonly [name: string, read: (span: Span) => Said | undefined])[] = [
  ['Mastra tracing', mastra],
  ['GenAI semantic conventions 1.37 or later', genAi],
  ['OpenInference', openInference],
  ['OpenLLMetry', openLLMetry],
  ['AI SDK telemetry', aiSdkRequest],
  ['GenAI semantic conventions before 1.37', olderEvents],
];

/** Messages in the conventions' attributes, either on the span or on its events with details. */
function genAi({ attributes, events }: Span): Said | undefined {
  const own: Mapping = Object.assign({}, ...events.map((event) => event.attributes), attributes);
  const keys = ['gen_ai.input.messages', 'gen_ai.output.messages'];
  if (!keys.some((key) => Object.hasOwn(own, key))) return undefined;
  const instructions = listIn(own['gen_ai.system_instructions']);
  return {
    input: [
      ...(instructions.length > 0 ? [{ role: 'system', parts: instructions }] : []),
      ...listIn(own['gen_ai.input.messages']),
    ],
    output: listIn(own['gen_ai.output.messages']),
  };
}

function listIn(value: unknown): unknown[] {
  const list = parseJsonText(value);
  return Array.isArray(list) ? list.map(parseJsonText) : [];
}

function openInference({ attributes }: Span): Said | undefined {
  const input = nestedUnder(attributes, 'llm.input_messages');
  const output = nestedUnder(attributes, 'llm.output_messages');
  // A graph's steps can repeat its messages, because only a model answers.
  const isStep = output === undefined && (attributes['openinference.span.kind'] ?? 'LLM') !== 'LLM';
  if (isStep || (input === undefined && output === undefined)) return undefined;
  return { input: openInferenceMessages(input), output: openInferenceMessages(output) };
}

function openInferenceMessages(list: unknown): unknown[] {
  if (!Array.isArray(list)) return [];
  return list.map((one) => {
    const { role, content, contents, tool_calls: calls, tool_call_id } = fieldsIn(one, 'message');
    return chatMessage({
      role,
      content: Array.isArray(contents) ? contents.map(openInferencePart) : content,
      calls: Array.isArray(calls) ? calls.map((call) => fieldsIn(call, 'tool_call')) : [],
      tool_call_id,
    });
  });
}

function openInferencePart(given: unknown): unknown {
  const { type, text, image } = fieldsIn(given, 'message_content');
  return type === 'image' || image !== undefined
    ? { type: 'image_url', image_url: {} }
    : { type: 'text', text: stringOf(text ?? '') };
}

/** The fields in `{message: {role}}`, or in `{role}` itself. */
function fieldsIn(value: unknown, key: string): Mapping {
  const mapping = mappingOf(value);
  return isMapping(mapping[key]) ? mappingOf(mapping[key]) : mapping;
}

function openLLMetry({ attributes }: Span): Said | undefined {
  const prompt = nestedUnder(attributes, 'gen_ai.prompt');
  const completion = nestedUnder(attributes, 'gen_ai.completion');
  if (prompt === undefined && completion === undefined) return undefined;
  return {
    input: openLLMetryMessages(prompt, 'user'),
    output: openLLMetryMessages(completion, 'assistant'),
  };
}

function openLLMetryMessages(list: unknown, role: string): unknown[] {
  if (!Array.isArray(list)) return [];
  return list.map(mappingOf).map((one) =>
    chatMessage({
      role: one.role ?? role,
      content: parseJsonText(one.content),
      calls: Array.isArray(one.tool_calls) ? one.tool_calls.map(mappingOf) : [],
      tool_call_id: one.tool_call_id,
    }),
  );
}

/** A request in the AI SDK's telemetry. Its outer span repeats the first request, so it isn't read. */
function aiSdkRequest({ attributes }: Span): Said | undefined {
  const input = listIn(attributes['ai.prompt.messages']);
  if (input.length === 0) return undefined;
  const text = textIn(attributes, 'ai.response.text', 'ai.response.object');
  const content = [
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...aiSdkCalls(attributes['ai.response.toolCalls']),
  ];
  return { input, output: content.length > 0 ? [{ role: 'assistant', content }] : [] };
}

function aiSdkCalls(list: unknown): object[] {
  return listIn(list)
    .map(mappingOf)
    .map(({ toolCallId, toolName, input, args }) => ({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: parseJsonText(input ?? args),
    }));
}

/** All requests for a reply together: the spans of single requests don't contain their messages. */
function mastra({ attributes }: Span): Said | undefined {
  const type = attributes['mastra.span.type'];
  const isPart = type === 'model_inference' && !Object.hasOwn(attributes, 'gen_ai.input.messages');
  if (isPart) return { input: [], output: [] };
  if (type !== 'model_generation') return undefined;
  const given = mappingOf(parseJsonText(attributes['mastra.model_generation.input']));
  const answer = mappingOf(parseJsonText(attributes['mastra.model_generation.output']));
  const content = aiSdkCalls(answer.toolCalls);
  const text = textIn(answer, 'text');
  return {
    input: listIn(given.messages),
    output: [
      ...(content.length > 0 ? [{ role: 'assistant', content }] : []),
      ...(text ? [{ role: 'assistant', content: text }] : []),
    ],
  };
}

/** Events from conventions before 1.37: `gen_ai.user.message`, `gen_ai.choice`. */
function olderEvents({ events }: Span): Said {
  const input: unknown[] = [];
  const output: unknown[] = [];
  for (const { name, attributes } of events) {
    const [, role] = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(name) ?? [];
    const message = mappingOf(parseJsonText(attributes.message ?? attributes));
    if (role !== undefined) input.push(eventMessage(role, message));
    else if (name === 'gen_ai.choice') output.push(eventMessage('assistant', message));
    else if (name === 'gen_ai.content.prompt') pushAll(input, listIn(attributes['gen_ai.prompt']));
    else if (name === 'gen_ai.content.completion') {
      pushAll(output, listIn(attributes['gen_ai.completion']));
    }
  }
  return { input, output };
}

function eventMessage(role: string, message: Mapping): unknown {
  const { content, tool_calls: given, id } = message;
  const calls = parseJsonText(given);
  return chatMessage({
    role,
    content: parseJsonText(content),
    calls: Array.isArray(calls) ? calls.map(mappingOf) : [],
    tool_call_id: role === 'tool' ? id : undefined,
  });
}

interface ChatFields {
  readonly role: unknown;
  readonly content: unknown;
  readonly calls: readonly Mapping[];
  readonly tool_call_id: unknown;
}

/** A message in OpenAI's chat format. Gemini calls the assistant `model`. */
function chatMessage({ role, content, calls, tool_call_id: id }: ChatFields): unknown {
  const text = typeof content === 'object' && !Array.isArray(content) ? undefined : content;
  const tools = calls.map((call) => {
    const called = mappingOf(call.function);
    return {
      id: textIn(call, 'id') ?? '',
      function: {
        name: textIn(called, 'name') ?? textIn(call, 'name') ?? '',
        arguments: called.arguments ?? call.arguments ?? '{}',
      },
    };
  });
  return {
    role: role === 'model' ? 'assistant' : role,
    content: text ?? (content === undefined || content === null ? null : JSON.stringify(content)),
    ...(tools.length > 0 && { tool_calls: tools }),
    ...(typeof id === 'string' && { tool_call_id: id }),
  };
}
