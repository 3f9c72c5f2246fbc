import { isMapping, type Mapping, mappingOf } from '../../core/data/data.ts';
import { parsed, textIn } from '../fields.ts';
import { nestedUnder, type Span } from './spanAttributes.ts';

/** What a span says was sent to a model and what came back, in dialects that are read. */
export interface SpanMessages {
  readonly input: readonly unknown[];
  readonly output: readonly unknown[];
}

/** By the conventions of OpenTelemetry, OpenInference, OpenLLMetry, or the AI SDK; undefined if none. */
export function messagesOfSpan(span: Span): SpanMessages | undefined {
  const found =
    genAi(span) ??
    openInference(span) ??
    openLLMetry(span) ??
    aiSdkRequest(span) ??
    olderEvents(span);
  return found && found.input.length + found.output.length > 0 ? found : undefined;
}

/** The conventions' attributes, on the span or on its event with the details. */
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
  const list = parsed(value);
  return Array.isArray(list) ? list.map(parsed) : [];
}

function openInference({ attributes }: Span): SpanMessages | undefined {
  const input = nestedUnder(attributes, 'llm.input_messages');
  const output = nestedUnder(attributes, 'llm.output_messages');
  // Steps of a graph may repeat its messages; only a model answers.
  const isStep = output === undefined && (attributes['openinference.span.kind'] ?? 'LLM') !== 'LLM';
  if (isStep || (input === undefined && output === undefined)) return undefined;
  return { input: inferred(input), output: inferred(output) };
}

function inferred(list: unknown): unknown[] {
  if (!Array.isArray(list)) return [];
  return list.map((one) => {
    const { role, content, contents, tool_calls: calls, tool_call_id } = fieldsIn(one, 'message');
    return chatMessage({
      role,
      content: Array.isArray(contents) ? contents.map(inferredPart) : content,
      calls: Array.isArray(calls) ? calls.map((call) => fieldsIn(call, 'tool_call')) : [],
      tool_call_id,
    });
  });
}

function inferredPart(given: unknown): unknown {
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
  return { input: metered(prompt, 'user'), output: metered(completion, 'assistant') };
}

function metered(list: unknown, role: string): unknown[] {
  if (!Array.isArray(list)) return [];
  return list.map(mappingOf).map((one) =>
    chatMessage({
      role: one.role ?? role,
      content: parsed(one.content),
      calls: Array.isArray(one.tool_calls) ? one.tool_calls.map(mappingOf) : [],
      tool_call_id: one.tool_call_id,
    }),
  );
}

/** A request of the AI SDK's telemetry. Its outer span repeats the first request, and isn't read. */
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
      input: parsed(input ?? args),
    })),
  ];
  return { input, output: content.length > 0 ? [{ role: 'assistant', content }] : [] };
}

/** Events of conventions before 1.37: `gen_ai.user.message`, `gen_ai.choice`. */
function olderEvents({ events }: Span): SpanMessages | undefined {
  const input: unknown[] = [];
  const output: unknown[] = [];
  for (const { name, attributes } of events) {
    const [, role] = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(name) ?? [];
    const message = mappingOf(parsed(attributes.message ?? attributes));
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
  const calls = parsed(given);
  return chatMessage({
    role,
    content: parsed(content),
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

/** As OpenAI chat: `model` is what Gemini calls the assistant. */
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
