import type { Report } from '../core/conversation.ts';
import {
  groupBy,
  isMapping,
  type Mapping,
  mappingOf,
  parseJsonText,
  textIn,
} from '../core/data/data.ts';
import { LIMITS, readable } from '../core/limits.ts';
import type { Message, ToolCall } from '../core/message.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { addUsage, NO_USAGE, type Usage } from '../core/verdict.ts';
import { resultText, unwrapTexts } from '../messages/content.ts';
import { readMessages } from '../messages/readMessages.ts';
import { canonicalJson } from '../node/hashes.ts';
import { agentNamedBy, isTool, originsOf, requestSpansIn, retrievedBy } from './origins.ts';
import { byStart, innermost, millisOf, type Span, type SpanMessages } from './spans.ts';

export interface TracedCall extends Pick<ToolCall, 'id' | 'name' | 'arguments'> {
  readonly result?: string;
  readonly agent?: string;
  /** How long the tool took, in milliseconds. */
  readonly latency?: number;
  /** Id of the call during which this call was made, such as a call that consults another agent. */
  readonly within?: string;
}

/** What a turn's spans show about it. */
export interface TurnReport {
  /** Calls in the order in which they were made. */
  readonly calls: readonly TracedCall[];
  readonly retrieved: readonly string[];
  readonly usage?: Usage;
  /** The agent whose answer ends the turn. */
  readonly agent?: string;
  /** Milliseconds until the model whose answer ends the turn began to answer. */
  readonly firstToken?: number;
  /** Kinds of information that the spans would show, if there were any. */
  readonly reports: readonly Report[];
  /** What is missing; undefined if nothing is missing, as far as the spans show. */
  readonly fault?: string;
}

const MAX_NAME = 100;

/** Maximum number of calls per turn, because pairing takes quadratic time. */
const MAX_CALLS = 1_000;

/** Maximum number of enclosing spans to search for the same tool. */
const MAX_ANCESTORS = 100;

/** @param given the spans of one turn */
export function reportOf(given: readonly Span[]): TurnReport {
  const spans = [...given].sort(byStart);
  const origins = originsOf(spans);
  const agentOf = (span: Span) => agentNamedBy(span) ?? origins.get(span.parent)?.agent;
  const toolAround = ({ parent }: Span) => origins.get(parent)?.tool;
  const requests = requestSpansIn(spans);
  const toolSpans = toolSpansIn(spans);
  const factsOf = (span: Span) => ({ agent: agentOf(span), around: toolAround(span) });
  const tools = toolSpans.map((span) => toolCallOf(span, factsOf(span)));
  const asked = requests.map((span) => callsAskedBy(span, factsOf(span)));
  const modelCalls = asked.flatMap((one) => one.calls);
  const isTooMany = Math.max(tools.length, modelCalls.length) > MAX_CALLS;
  const paired = isTooMany ? [] : pairCalls(modelCalls, tools);
  const calls = withResults(paired, requests);
  const said = requests.filter((span) => toolAround(span) === undefined).at(-1);
  const agent = said ? agentOf(said) : undefined;
  const usage = usageIn(spans);
  const firstToken = said && firstTokenOf(said, spans);
  const retrieved = spans.flatMap(retrievedBy);
  const fault =
    (isTooMany ? `It has more than ${readable(MAX_CALLS)} tool calls.` : undefined) ??
    asked.find(({ problem }) => problem !== undefined)?.problem ??
    missingCall(spans, requests, calls.length) ??
    faultOfCalls(calls) ??
    faultOfExport([...requests, ...toolSpans]);
  const reports: readonly (readonly [Report, boolean])[] = [
    ['tool_calls', requests.length + toolSpans.length > 0],
    ['context', retrieved.length > 0],
    ['usage', usage !== undefined],
    ['agents', agent !== undefined],
  ];
  return {
    calls: plainCalls(calls),
    retrieved,
    ...(usage && fault === undefined && { usage }),
    ...(agent !== undefined && { agent }),
    ...(firstToken !== undefined && { firstToken }),
    reports: reports.flatMap(([report, isSeen]) => (isSeen ? [report] : [])),
    ...(fault !== undefined && { fault }),
  };
}

function plainCalls(calls: readonly FoundCall[]): TracedCall[] {
  const ids = new Map(calls.map(({ span, id }) => [span, id]));
  return calls.map(({ id, name, arguments: given, result, agent, latency, around }) => {
    const within = around === undefined ? undefined : ids.get(around);
    return {
      id,
      name,
      arguments: given,
      ...(result !== undefined && { result }),
      ...(agent !== undefined && { agent }),
      ...(latency !== undefined && { latency }),
      ...(within !== undefined && { within }),
    };
  });
}

/** Facts about a call, taken from the spans around it. */
interface CallFacts {
  readonly agent: string | undefined;
  /** Id of the span of the tool that made the call. */
  readonly around: string | undefined;
}

interface FoundCall extends Omit<TracedCall, 'agent' | 'within'>, CallFacts {
  /** Id of the call's tool span. */
  readonly span?: string;
  readonly start: string;
  /** Whether a model asked for the call, so that its arguments are the model's. */
  readonly isAsked: boolean;
  /** A key that is the same for calls with the same name and arguments. */
  readonly key: string;
}

/** Maximum number of a conversation's calls whose times are determined, because it happens for each new span. */
const MAX_TIMED_CALLS = 300;

/** How long a conversation's calls took, in milliseconds, by id. Calls and tool spans are paired like those of a turn. */
export function callTimes(
  calls: readonly ToolCall[],
  spans: readonly Span[],
): ReadonlyMap<string, number> {
  const facts: CallFacts = { agent: undefined, around: undefined };
  const run = toolSpansIn([...spans].sort(byStart)).map((span) => toolCallOf(span, facts));
  if (Math.max(calls.length, run.length) > MAX_TIMED_CALLS) return new Map();
  const asked = calls.map((call): FoundCall => {
    return { ...call, ...facts, key: callKey(call), start: '', isAsked: true };
  });
  const times = pairCalls(asked, run).flatMap(({ id, isAsked, latency }) =>
    isAsked && latency !== undefined ? [[id, latency] as const] : [],
  );
  return new Map(times);
}

/** The tool spans. A tool's spans can be nested, such as those of an MCP client and its server. */
function toolSpansIn(spans: readonly Span[]): Span[] {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const tools = new Map(
    spans.filter(isTool).map((span) => [span, normalToolName(toolNameOf(span) ?? '')]),
  );
  return [...tools.keys()].filter((span) => {
    const name = toolNameOf(span);
    // ADK adds one span for parallel calls together.
    if (name === undefined || name === '(merged tools)') return false;
    let at = byId.get(span.parent);
    for (let steps = 0; at && steps < MAX_ANCESTORS; steps += 1) {
      if (tools.get(at) === tools.get(span)) return false;
      at = byId.get(at.parent);
    }
    return true;
  });
}

function toolNameOf({ attributes }: Span): string | undefined {
  const isNamed = attributes['traceloop.span.kind'] === 'tool';
  return textIn(
    attributes,
    'gen_ai.tool.name',
    'tool.name',
    'ai.toolCall.name',
    ...(isNamed ? ['traceloop.entity.name'] : []),
  );
}

const CALL_IDS = ['gen_ai.tool.call.id', 'ai.toolCall.id', 'tool_call.id', 'tool.id'];

const CALL_ARGUMENTS = [
  'gen_ai.tool.call.arguments',
  'ai.toolCall.args',
  'tool_arguments',
  'gcp.vertex.agent.tool_call_args',
  'traceloop.entity.input',
  'input.value',
];

const CALL_RESULTS = [
  'gen_ai.tool.call.result',
  'ai.toolCall.result',
  'tool_response',
  'gcp.vertex.agent.tool_response',
  'traceloop.entity.output',
  'output.value',
];

function toolCallOf(span: Span, facts: CallFacts): FoundCall {
  const { attributes, id, start, end } = span;
  const first = (keys: readonly string[]) =>
    parseJsonText(keys.map((key) => attributes[key]).find((value) => value !== undefined));
  const result = first(CALL_RESULTS);
  const called = {
    id: textIn(attributes, ...CALL_IDS) ?? id,
    name: toolNameOf(span) ?? '',
    arguments: argumentsIn(first(CALL_ARGUMENTS)),
  };
  return {
    ...called,
    key: callKey(called),
    ...(result !== undefined && { result: resultText(contentOf(result)) }),
    ...facts,
    span: id,
    latency: Math.max(0, millisOf(end) - millisOf(start)),
    start,
    isAsked: false,
  };
}

/**
 * The content of a result. LangChain records the whole message with the result, `{data: {content}}` or `{output:
 * {kwargs: {content}}}`.
 */
function contentOf(result: unknown): unknown {
  const { output, data, kwargs } = mappingOf(result);
  const inner = [mappingOf(output).kwargs, data, kwargs].map(mappingOf);
  return (
    inner.map(({ content }) => content).find((content) => typeof content === 'string') ??
    unwrapTexts(result)
  );
}

/**
 * The arguments of a call. OpenLLMetry records the arguments of the whole function, and LlamaIndex `{kwargs}` with its
 * own objects, such as `ctx: '<workflows.context.context.Context object at 0x7f6e>'`.
 */
function argumentsIn(given: unknown): unknown {
  if (!isMapping(given)) return given;
  if (isMapping(given.kwargs) && Object.keys(given).length === 1) {
    const own = Object.entries(given.kwargs).filter(
      ([, value]) => typeof value !== 'string' || !/^<[\w.]+ object at 0x\w+>$/.test(value),
    );
    return Object.fromEntries(own);
  }
  if (isMapping(given.kwargs) && Array.isArray(given.args)) {
    return given.args.length === 0 ? given.kwargs : JSON.stringify(given.args);
  }
  return isMapping(given.inputs) && 'input_str' in given ? given.inputs : given;
}

type RequestSpan = Span & { readonly said: SpanMessages };

const PROMPT = { role: 'user', content: 'so that the messages read as a conversation' };

/** The calls in a model's answer, or why they aren't known. */
function callsAskedBy(span: RequestSpan, facts: CallFacts) {
  const { said, name, start } = span;
  const written = JSON.stringify(said.output);
  if (written.length > LIMITS.reply) {
    return { calls: [], problem: `The messages of the span ${quoted(name)} are too long.` };
  }
  const { messages, problems } = readMessages([PROMPT, ...said.output]);
  const calls = callsIn(messages.map(({ message }) => message)).map((call, index): FoundCall => {
    // Otherwise, `readMessages` added the id, and other spans have the same id.
    const id = written.includes(call.id) ? call.id : `${span.id}_${index + 1}`;
    return { ...call, id, key: callKey(call), ...facts, start, isAsked: true };
  });
  const fault = problems.find(({ code }) => code !== 'empty-content');
  const why = fault?.message.replace(/^Message \d+/, 'A message');
  const problem = why && `The messages of the span ${quoted(name)} can't be read. ${why}`;
  return { calls, problem: said.output.length > 0 ? problem : undefined };
}

function callsIn(messages: readonly Message[]): ToolCall[] {
  return messages.flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []) : []));
}

/** Pairs calls so that each appears once, whether a model, a tool, or both report it. */
function pairCalls(asked: readonly FoundCall[], run: readonly FoundCall[]): FoundCall[] {
  const found = [...new Map(asked.map((call) => [`${call.id} ${call.name}`, call])).values()];
  const left = new Set(run);
  const pairs = new Map<FoundCall, FoundCall>();
  const ways: readonly ((call: FoundCall) => string | undefined)[] = [
    ({ id }) => id,
    ({ key }) => key,
    // In some tool spans, the arguments are incomplete.
    (call) => (call.isAsked || !isMapping(call.arguments) ? '' : undefined),
  ];
  for (const way of ways) {
    const keyOf = (call: FoundCall) => JSON.stringify([normalToolName(call.name), way(call)]);
    const waiting = groupBy(left, keyOf);
    for (const call of found) {
      const match = pairs.has(call) ? undefined : waiting.get(keyOf(call))?.shift();
      if (!match) continue;
      pairs.set(call, match);
      left.delete(match);
    }
  }
  const joined = found.map((call): FoundCall => {
    const { result, latency, span } = pairs.get(call) ?? {};
    return {
      ...call,
      ...(span !== undefined && { span }),
      ...(result !== undefined && { result }),
      ...(latency !== undefined && { latency }),
    };
  });
  return [...joined, ...left].sort(byStartOfCall);
}

function byStartOfCall({ start: a }: FoundCall, { start: b }: FoundCall): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}

/** A key that is the same for calls to the same tool with the same arguments. */
export function callKey({ name, arguments: given }: Pick<ToolCall, 'name' | 'arguments'>): string {
  return canonicalJson([normalToolName(name), given]) ?? name;
}

/** Normalizes a tool's name: `mcp__shop__Find-Order` and `functions.find_order` are both the tool `find_order`. */
function normalToolName(name: string): string {
  const [own = name] = name.split(/__|\.|\//).slice(-1);
  return own.toLowerCase().replaceAll(/[-\s]/g, '_');
}

/** Sets the results that models received, which tool spans may show in another form or not at all. */
function withResults(calls: readonly FoundCall[], requests: readonly RequestSpan[]): FoundCall[] {
  if (calls.length === 0) return [];
  const results = new Map<string, string>();
  for (const { said } of requests) {
    // Tool spans have the results, too, and reading more would take too long.
    if (JSON.stringify(said.input).length > LIMITS.reply) continue;
    for (const { message } of readMessages([...said.input]).messages) {
      if (message.role === 'tool') results.set(message.callId, message.content);
    }
  }
  return calls.map((call) => {
    const result = results.get(call.id) ?? call.result;
    return result === undefined ? call : { ...call, result };
  });
}

/** Attributes that contain the reason why a model stopped. */
const FINISH = ['gen_ai.response.finish_reasons', 'llm.finish_reason', 'ai.response.finishReason'];

/** Describes calls with which models ended their answers but that no span shows; undefined if there are none. */
function missingCall(
  spans: readonly Span[],
  requests: readonly RequestSpan[],
  calls: number,
): string | undefined {
  const silent = spans.find(
    ({ attributes }) =>
      FINISH.some((key) => /tool|function/i.test(String(attributes[key]))) && calls === 0,
  );
  if (!silent) return undefined;
  const advice = requests.length === 0 ? ` ${CAPTURE}` : '';
  return `The span ${quoted(silent.name)} ends with a tool call, but no span shows the call.${advice}`;
}

/** Advice if spans lack their content. */
export const CAPTURE =
  'Let your instrumentation capture content, for example with OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true.';

function faultOfCalls(calls: readonly FoundCall[]): string | undefined {
  const vague = calls.find((call) => !call.isAsked && !isMapping(call.arguments));
  return (
    vague && `The span of the tool ${quoted(vague.name)} doesn't show its arguments. ${CAPTURE}`
  );
}

export function faultOfExport(spans: readonly Span[]): string | undefined {
  const cut = spans.find(({ dropped }) => dropped > 0);
  return (
    cut &&
    `The exporter left out attributes or events of the span ${quoted(cut.name)}. Raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT, which is 128 by default, and restart the agent.`
  );
}

export function quoted(name: string): string {
  return `"${visibleLine(name, MAX_NAME)}"`;
}

const COUNTS = {
  input_tokens: [
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
    'llm.usage.prompt_tokens',
    'ai.usage.inputTokens',
    'ai.usage.promptTokens',
  ],
  output_tokens: [
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
    'llm.usage.completion_tokens',
    'ai.usage.outputTokens',
    'ai.usage.completionTokens',
  ],
  cached_tokens: [
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.cache_read_input_tokens',
    'llm.token_count.prompt_details.cache_read',
    'ai.usage.cachedInputTokens',
  ],
} as const;

/** The usage in the spans; undefined if no span has any. Instrumentations omit counts that are 0. */
function usageIn(spans: readonly Span[]): Usage | undefined {
  const counted = spans.flatMap((span) => {
    const usage = usageOfSpan(span.attributes);
    return usage ? [{ ...span, usage }] : [];
  });
  // A request made by a tool isn't part of the request that calls the tool.
  const own = innermost(
    spans.filter((span) => !isTool(span)),
    counted,
  );
  return own.length === 0 ? undefined : own.map(({ usage }) => usage).reduce(addUsage, NO_USAGE);
}

function usageOfSpan(attributes: Mapping): Usage | undefined {
  const count = (keys: readonly string[]) =>
    keys.map((key) => Number(attributes[key])).find((one) => Number.isSafeInteger(one) && one >= 0);
  const [input, output] = [count(COUNTS.input_tokens), count(COUNTS.output_tokens)];
  if (input === undefined && output === undefined) return undefined;
  return {
    ...NO_USAGE,
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    cached_tokens: count(COUNTS.cached_tokens) ?? 0,
  };
}

/** Attributes that contain the time to the first token, and their unit in milliseconds. */
const FIRST_TOKEN: readonly (readonly [string, number])[] = [
  ['gen_ai.response.time_to_first_chunk', 1_000],
  ['gen_ai.server.time_to_first_token', 1_000],
  ['gen_ai.response.time_to_first_token', 1_000],
  ['ai.response.msToFirstChunk', 1],
  ['ai.stream.msToFirstChunk', 1],
];

/** Matches events such as OpenInference's `First Token Stream Event`. */
const FIRST_TOKEN_EVENT = /first[ _.-]?(?:token|chunk)/i;

/** Milliseconds from the start of the turn's first span to the first token. */
function firstTokenOf(said: Span, spans: readonly Span[]): number | undefined {
  const [first = said] = spans;
  const event = said.events.find(({ name }) => FIRST_TOKEN_EVENT.test(name));
  const [measured] = FIRST_TOKEN.flatMap(([key, unit]) => {
    const time = said.attributes[key];
    return typeof time === 'number' ? [millisOf(said.start) + time * unit] : [];
  });
  const at = measured ?? (event && millisOf(event.time));
  const wait = at === undefined ? Number.NaN : at - millisOf(first.start);
  return Number.isFinite(wait) && wait >= 0 ? wait : undefined;
}
