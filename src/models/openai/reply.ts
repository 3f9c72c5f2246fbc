import * as z from 'zod';
import { NO_USAGE, type Usage } from '../../core/verdict.ts';
import type { Embedded, ModelReply, ReplyToken } from '../model.ts';
import type { Price } from '../price.ts';

const tokenSchema = z.object({
  token: z.string(),
  logprob: z.number(),
  top_logprobs: z.array(z.object({ token: z.string(), logprob: z.number() })).nullish(),
});

/** What we read of a chat completion; endpoints add fields of their own and leave others out. */
const completionSchema = z.object({
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z
            .union([
              z.string(),
              z.array(z.object({ type: z.string(), text: z.string().nullish() })),
            ])
            .nullish(),
          refusal: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({
                id: z.string().nullish(),
                function: z.object({ name: z.string(), arguments: z.string().nullish() }),
              }),
            )
            .nullish(),
        }),
        logprobs: z
          .object({ content: z.array(tokenSchema).nullish() })
          .nullish()
          .catch(undefined),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: z.number().nullish(),
      completion_tokens: z.number().nullish(),
      prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
});

type Completion = z.infer<typeof completionSchema>;

/** The replies, at least one, or in `malformed` what is wrong. The usage stands in the first. */
export function readReplies(
  body: unknown,
  price: Price | undefined,
): readonly ModelReply[] | { readonly malformed: string } {
  const parsed = completionSchema.safeParse(body);
  if (!parsed.success) return { malformed: complaint(body, parsed.error) };
  const { choices, usage, model } = parsed.data;
  return choices.map(({ message, finish_reason, logprobs }, place) => {
    const toolCalls = (message.tool_calls ?? []).map((call, index) => ({
      id: call.id || `call_${index + 1}`,
      name: call.function.name,
      arguments: parsedArguments(call.function.arguments ?? ''),
    }));
    const tokens = logprobs?.content ?? [];
    return {
      text: contentText(message.content),
      toolCalls,
      finish: finishOf(finish_reason, toolCalls.length > 0),
      ...(message.refusal && { refusal: message.refusal }),
      ...(model && { version: model }),
      usage: place === 0 ? usageOf(usage, price) : NO_USAGE,
      ...(tokens.length > 0 && { tokens: tokens.map(replyToken) }),
    };
  });
}

/** Alternatives are kept of numbers alone: all that is ever weighed, and little to record. */
function replyToken({ token, logprob, top_logprobs }: z.infer<typeof tokenSchema>): ReplyToken {
  if (!/^\s*\d+\s*$/.test(token)) return { text: token, top: [] };
  const top = top_logprobs ?? [];
  const all = top.some((one) => one.token === token) ? top : [{ token, logprob }, ...top];
  return { text: token, top: all.map((one) => ({ text: one.token, logprob: one.logprob })) };
}

const embeddingsSchema = z.object({
  data: z.array(z.object({ index: z.number(), embedding: z.array(z.number()).min(1) })),
  usage: z.object({ prompt_tokens: z.number().nullish() }).nullish(),
});

/** The vectors in the order of the texts, or in `malformed` what is wrong. */
export function readEmbeddings(
  body: unknown,
  count: number,
  price: Price | undefined,
): Embedded | { readonly malformed: string } {
  const parsed = embeddingsSchema.safeParse(body);
  if (!parsed.success) return { malformed: complaint(body, parsed.error) };
  const { data, usage } = parsed.data;
  const vectors = [...data].sort((a, b) => a.index - b.index).map(({ embedding }) => embedding);
  if (vectors.length !== count) {
    return { malformed: `it holds ${vectors.length} embeddings of ${count} texts` };
  }
  return { vectors, usage: usageOf(usage, price) };
}

/** Some gateways answer 200 with `{"error": {"message": …}}`. */
const errorSchema = z.object({
  error: z.union([z.string(), z.object({ message: z.string() })]),
});

function complaint(body: unknown, error: z.ZodError): string {
  const reported = errorSchema.safeParse(body);
  if (reported.success) {
    const { error: inner } = reported.data;
    return `it reports an error: ${typeof inner === 'string' ? inner : inner.message}`;
  }
  const [issue] = error.issues;
  const place = issue?.path.join('.') ?? '';
  return place === '' ? 'it is no chat completion' : `its field "${place}" is missing or wrong`;
}

type Content = Completion['choices'][number]['message']['content'];

function contentText(content: Content): string {
  if (!Array.isArray(content)) return content ?? '';
  return content.map((part) => part.text ?? '').join('');
}

function parsedArguments(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function finishOf(reason: string | null | undefined, called: boolean): ModelReply['finish'] {
  switch (reason) {
    case 'length':
      return 'length';
    case 'content_filter':
      return 'content-filter';
    case 'tool_calls':
      return 'tool-calls';
    case 'stop':
      return called ? 'tool-calls' : 'stop';
    default:
      return called ? 'tool-calls' : 'other';
  }
}

/** Cost = (input − cached) × input price + cached × cached price + output × output price, ÷ 10⁶. */
function usageOf(
  usage: Partial<NonNullable<Completion['usage']>> | null | undefined,
  price: Price | undefined,
): Usage {
  if (!usage) return { ...NO_USAGE, calls: 1 };
  const input = count(usage.prompt_tokens);
  const cached = Math.min(count(usage.prompt_tokens_details?.cached_tokens), input);
  const output = count(usage.completion_tokens);
  const cost =
    price &&
    ((input - cached) * price.input +
      cached * (price.cached_input ?? price.input) +
      output * price.output) /
      1_000_000;
  return {
    calls: 1,
    input_tokens: input,
    cached_tokens: cached,
    output_tokens: output,
    cost: cost ?? null,
  };
}

function count(value: number | null | undefined): number {
  return value !== null && value !== undefined && value > 0 ? Math.round(value) : 0;
}
