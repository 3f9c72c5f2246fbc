import { isMapping, type Mapping, mappingOf } from '../../core/data/data.ts';
import { parseJsonText, textIn } from '../fields.ts';

/** A span and its events, with attributes as plain values. */
export interface Span {
  readonly line: number;
  readonly id: string;
  readonly parent: string;
  readonly trace: string;
  readonly name: string;
  /** Nanoseconds, as decimal text without leading zeros. */
  readonly start: string;
  readonly attributes: Mapping;
  readonly events: readonly { readonly name: string; readonly attributes: Mapping }[];
}

/** @param resource attributes of the span's resource */
export function spanOf(value: unknown, line: number, resource: Mapping): Span {
  const span = mappingOf(value);
  const text = (...keys: string[]) => String(keys.map((key) => span[key]).find(isThere) ?? '');
  const context = mappingOf(span.context ?? span.spanContext);
  return {
    line,
    id: text('spanId', 'span_id') || String(context.span_id ?? context.spanId ?? ''),
    parent: text('parentSpanId', 'parent_span_id', 'parent_id'),
    trace: text('traceId', 'trace_id') || String(context.trace_id ?? context.traceId ?? ''),
    name: text('name'),
    start: text('startTimeUnixNano', 'start_time_unix_nano', 'start_time'),
    attributes: { ...resource, ...attributesOf(span.attributes) },
    events: (Array.isArray(span.events) ? span.events : []).map((event) => ({
      name: String(mappingOf(event).name),
      attributes: attributesOf(mappingOf(event).attributes),
    })),
  };
}

export function byStart(a: Span, b: Span): number {
  return a.start.length - b.start.length || (a.start < b.start ? -1 : Number(a.start > b.start));
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** OTLP's list of keys and typed values, or a plain mapping. */
export function attributesOf(given: unknown): Mapping {
  if (!Array.isArray(given)) return mappingOf(given);
  return Object.fromEntries(
    given.filter(isMapping).map(({ key, value }) => [String(key), plainValue(value)]),
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
      // OTLP writes null as a value without a kind.
      return inner ?? null;
  }
}

function listOf(value: unknown): unknown[] {
  const { values } = mappingOf(value);
  return Array.isArray(values) ? values : [];
}

/**
 * Attributes such as `llm.input_messages.0.message.role` as the nested value under a prefix;
 * undefined if there are none.
 */
export function nestedUnder(attributes: Mapping, prefix: string): unknown {
  const own = parseJsonText(attributes[prefix]);
  if (typeof own === 'object' && own !== null) return own;
  const root: Record<string, unknown> = Object.create(null);
  let found = false;
  for (const [key, value] of Object.entries(attributes)) {
    if (!key.startsWith(`${prefix}.`)) continue;
    put(root, key.slice(prefix.length + 1).split('.'), value);
    found = true;
  }
  return found ? listsOf(root) : undefined;
}

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

/** A mapping whose keys are numbers is a list. */
function listsOf(value: unknown): unknown {
  if (!isMapping(value)) return value;
  const keys = Object.keys(value);
  const isList = keys.length > 0 && keys.every((key) => /^\d{1,6}$/.test(key));
  if (!isList) {
    return Object.fromEntries(keys.map((key) => [key, listsOf(value[key])]));
  }
  return keys.sort((a, b) => Number(a) - Number(b)).map((key) => listsOf(value[key]));
}

interface Nested {
  readonly id: string;
  /** The id of the span around it; empty or undefined if there is none. */
  readonly parent: string | undefined;
}

/**
 * The chosen spans that contain no other chosen ones: a framework's spans repeat its requests' spans.
 *
 * @param spans all spans, with their parents
 */
export function innermost<Span extends Nested>(
  spans: readonly Nested[],
  chosen: readonly Span[],
): Span[] {
  const parents = new Map(spans.map(({ id, parent }) => [id, parent]));
  const around = new Set<string>();
  for (const { parent } of chosen) {
    for (let at = parent; at && !around.has(at); at = parents.get(at)) around.add(at);
  }
  return chosen.filter(({ id }) => !around.has(id));
}

/** The messages of a request and its answer, in known dialects. */
export interface SpanMessages {
  readonly input: readonly unknown[];
  readonly output: readonly unknown[];
}

/** By the conventions of OpenTelemetry, OpenInference, OpenLLMetry, or the AI SDK; undefined if there are none. */
export function messagesOfSpan(span: Span): SpanMessages | undefined {
  const found =
    genAi(span) ??
    openInference(span) ??
    openLLMetry(span) ??
    aiSdkRequest(span) ??
    olderEvents(span);
  return found && found.input.length + found.output.length > 0 ? found : undefined;
}

/** Messages in the conventions' attributes, on the span or on its event with details. */
function genAi({ attributes, events }: Span): SpanMessages | undefined {
  const details = events.map((event) => event.attributes);
  const [own] = [attributes, ...details].filter((one) =>
    ['gen_ai.input.messages', 'gen_ai.output.messages'].some((key) => Object.hasOwn(one, key)),
  );
  if (!own) return undefined;
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

function openInference({ attributes }: Span): SpanMessages | undefined {
  const input = nestedUnder(attributes, 'llm.input_messages');
  const output = nestedUnder(attributes, 'llm.output_messages');
  // A graph's steps can repeat its messages; only a model answers.
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
    : { type: 'text', text: String(text ?? '') };
}

/** `{message: {role}}`, or `{role}` itself. */
function fieldsIn(value: unknown, key: string): Mapping {
  const mapping = mappingOf(value);
  return isMapping(mapping[key]) ? mappingOf(mapping[key]) : mapping;
}

function openLLMetry({ attributes }: Span): SpanMessages | undefined {
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

/** A request of the AI SDK's telemetry. Its outer span repeats the first request and isn't read. */
function aiSdkRequest({ attributes }: Span): SpanMessages | undefined {
  const input = listIn(attributes['ai.prompt.messages']);
  if (input.length === 0) return undefined;
  const text = textIn(attributes, 'ai.response.text', 'ai.response.object');
  const calls = listIn(attributes['ai.response.toolCalls']).map(mappingOf);
  const content = [
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ toolCallId, toolName, input, args }) => ({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: parseJsonText(input ?? args),
    })),
  ];
  return { input, output: content.length > 0 ? [{ role: 'assistant', content }] : [] };
}

/** Events in conventions before 1.37: `gen_ai.user.message`, `gen_ai.choice`. */
function olderEvents({ events }: Span): SpanMessages | undefined {
  const input: unknown[] = [];
  const output: unknown[] = [];
  for (const { name, attributes } of events) {
    const [, role] = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(name) ?? [];
    const message = mappingOf(parseJsonText(attributes.message ?? attributes));
    if (role !== undefined) input.push(eventMessage(role, message));
    else if (name === 'gen_ai.choice') output.push(eventMessage('assistant', message));
    else if (name === 'gen_ai.content.prompt') input.push(...listIn(attributes['gen_ai.prompt']));
    else if (name === 'gen_ai.content.completion') {
      output.push(...listIn(attributes['gen_ai.completion']));
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

/** In the format of OpenAI chat. Gemini calls the assistant `model`. */
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
