import * as z from 'zod';
import { isMapping, type Path, pushAll, valueAt } from '../core/data/data.ts';
import { type Message, type ToolCall, toolsSchema, unwrapTools } from '../core/message.ts';
import { NO_USAGE, type Usage } from '../core/verdict.ts';
import { toOpenaiChat } from '../messages/openaiChat.ts';
import { readMessages } from '../messages/readMessages.ts';
import {
  QuotingError,
  type TargetError,
  type TargetErrorReason,
  type TargetReply,
} from './target.ts';

const usageSchema = z.object({
  calls: z.int().min(0).optional(),
  input_tokens: z.int().min(0).optional(),
  cached_tokens: z.int().min(0).optional(),
  output_tokens: z.int().min(0).optional(),
  cost: z.number().min(0).nullish(),
});

const SHAPES =
  'text, a message, a list of messages, {content} or {messages, retrieval_context?, tools?, usage?}';

/** Keys of a reply that is a mapping; it has at least one of them. */
const KEYS = ['messages', 'content', 'role', 'assistant'];

/**
 * @param conversation the conversation so far: a result may come several turns after its call, for example after an
 * approval
 * @throws TargetError `target-malformed-reply`, `target-empty-reply`
 */
export function readReply(answer: unknown, conversation: readonly Message[] = []): TargetReply {
  const { list, context, tools, usage } = unpack(answer);
  const prompt = { role: 'user', content: 'so that the reply reads as a conversation' };
  const toolCalls = openCallsIn(conversation);
  const calls = toOpenaiChat({ role: 'assistant', content: '', toolCalls });
  const before = toolCalls.length === 0 ? [prompt] : [prompt, calls];
  const read = readMessages([...before, ...list]);
  const messages = read.messages
    .filter(({ index }) => index >= before.length)
    .map(({ message }) => message);
  if (messages.some(({ role }) => role === 'user')) {
    const what = 'It contains a user message, but a target speaks only as the assistant.';
    throw malformedError(what, answer);
  }
  const [problem] = read.problems;
  if (problem) {
    const reason = problem.code === 'empty-content' ? 'target-empty-reply' : undefined;
    throw malformedError(problem.message.replace(/^Message \d+: /, ''), answer, reason);
  }
  const notes = read.notes.map((note) => note.replace(/^Message \d+(, and \d+ more)?: /, ''));
  if (read.messages.some(({ images }) => images)) notes.push('Images in a reply.');
  const reply = {
    messages,
    ...(tools && { tools }),
    ...(notes.length > 0 && { notes }),
    ...(usage && { usage }),
  };
  return context ? withContext(reply, context) : reply;
}

function openCallsIn(conversation: readonly Message[]): ToolCall[] {
  const open: ToolCall[] = [];
  for (const message of conversation) {
    if (message.role === 'assistant') pushAll(open, message.toolCalls ?? []);
    if (message.role !== 'tool') continue;
    const at = open.findIndex(({ id }) => id === message.callId);
    if (at >= 0) open.splice(at, 1);
  }
  return open;
}

function unpack(answer: unknown) {
  if (typeof answer === 'string') return { list: [{ role: 'assistant', content: answer }] };
  if (Array.isArray(answer)) return { list: answer };
  if (!isMapping(answer) || !KEYS.some((key) => key in answer)) {
    throw malformedError(`A reply must be ${SHAPES}.`, answer);
  }
  if (!('messages' in answer)) {
    return { list: [{ ...('assistant' in answer ? {} : { role: 'assistant' }), ...answer }] };
  }
  const { messages, retrieval_context, tools, usage, ...rest } = answer;
  const [stranger] = Object.keys(rest);
  if (stranger) throw malformedError(`Unknown key "${stranger}" in a reply.`, answer);
  if (!Array.isArray(messages)) throw malformedError('`messages` must be a list.', answer);
  const context = z.array(z.string()).optional().safeParse(retrieval_context);
  if (!context.success) {
    throw malformedError('`retrieval_context` must be a list of texts.', answer);
  }
  const offered = toolsSchema.optional().safeParse(tools);
  if (!offered.success) {
    throw malformedError('`tools` must be a list of `{name, description, parameters}`.', answer);
  }
  const counted = usageSchema.optional().safeParse(usage);
  if (!counted.success) throw malformedError('`usage` must contain only token counts.', answer);
  const known = counted.data && {
    ...NO_USAGE,
    ...Object.fromEntries(Object.entries(counted.data).filter(([, value]) => value != null)),
  };
  return {
    list: messages,
    context: context.data,
    tools: offered.data && unwrapTools(offered.data),
    usage: known,
  };
}

/** Adds retrieved passages to the last assistant message. */
export function withContext(reply: TargetReply, context: readonly string[]): TargetReply {
  const last = reply.messages.findLastIndex(({ role }) => role === 'assistant');
  const messages = reply.messages.map((message, index) =>
    index === last && message.role === 'assistant'
      ? { ...message, retrievalContext: [...(message.retrievalContext ?? []), ...context] }
      : message,
  );
  return { ...reply, messages };
}

function malformedError(
  what: string,
  answer: unknown,
  reason: TargetErrorReason = 'target-malformed-reply',
): TargetError {
  const text = JSON.stringify(answer) ?? String(answer);
  return new QuotingError(
    reason,
    (quote) => `The target's reply cannot be used. ${quote(what, String)} It was: ${quote(text)}`,
  );
}

/** Where providers, frameworks, and programs put each count. The first match is used. */
const COUNTS = {
  input_tokens: [
    ['input_tokens'],
    ['prompt_tokens'],
    ['inputTokens'],
    ['promptTokens'],
    ['promptTokenCount'],
    ['prompt_token_count'],
  ],
  output_tokens: [
    ['output_tokens'],
    ['completion_tokens'],
    ['outputTokens'],
    ['completionTokens'],
    ['candidatesTokenCount'],
    ['candidates_token_count'],
  ],
  cached_tokens: [
    ['cached_tokens'],
    ['prompt_tokens_details', 'cached_tokens'],
    ['input_tokens_details', 'cached_tokens'],
    ['input_token_details', 'cache_read'],
    ['cachedInputTokens'],
    ['cachedContentTokenCount'],
    ['cached_content_token_count'],
    ['cache_read_input_tokens'],
  ],
  cost: [['cost'], ['total_cost']],
} as const satisfies Readonly<Record<string, readonly Path[]>>;

/** Counts that Anthropic doesn't include in `input_tokens`. */
const ANTHROPIC_CACHE_COUNTS = ['cache_read_input_tokens', 'cache_creation_input_tokens'];

/** A reply's usage; undefined if there is neither a cost nor both token counts. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isMapping(value)) return undefined;
  const input = countIn(value, COUNTS.input_tokens);
  const output = countIn(value, COUNTS.output_tokens);
  const cached = countIn(value, COUNTS.cached_tokens);
  const cost = COUNTS.cost.map(([key]) => value[key]).find(isAmount);
  const isCounted = input !== undefined && output !== undefined;
  if (!isCounted && cost === undefined) return undefined;
  const cacheCounts = ANTHROPIC_CACHE_COUNTS.map((key) => countIn(value, [[key]]) ?? 0);
  return {
    ...NO_USAGE,
    ...(isCounted && {
      input_tokens: cacheCounts.reduce((sum, one) => sum + one, input),
      output_tokens: output,
    }),
    ...(cached !== undefined && { cached_tokens: cached }),
    ...(cost !== undefined && { cost }),
  };
}

function countIn(value: unknown, paths: readonly Path[]): number | undefined {
  return paths
    .map((path) => valueAt(value, path))
    .filter(isAmount)
    .find(Number.isSafeInteger);
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
