import * as z from 'zod';
import { jsonOrText } from '../../core/data.ts';
import { NO_USAGE, type Usage } from '../../core/verdict.ts';
import type { Embedded, ModelReply, ReplyToken } from '../model.ts';
import { costOf, type Price } from '../price.ts';

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

/** Why a reply ended, in the endpoint's words and in ours. */
const FINISHES: Readonly<Record<string, ModelReply['finish']>> = {
  stop: 'stop',
  tool_calls: 'tool-calls',
  length: 'length',
  content_filter: 'content-filter',
  error: 'error',
};

/**
 * The replies, at least one, or in `malformed` what is wrong. The usage stands in the first.
 *
 * @param onUnknown hears of a `finish_reason` that is none of OpenAI's; compatible servers invent some
 */
export function readReplies(
  body: unknown,
  price: Price | undefined,
  onUnknown: (reason: string) => void,
): readonly ModelReply[] | { readonly malformed: string } {
  const parsed = completionSchema.safeParse(body);
  if (!parsed.success) return { malformed: complaint(body, parsed.error) };
  const { choices, usage, model } = parsed.data;
  return choices.map(({ message, finish_reason, logprobs }, index) => {
    const toolCalls = (message.tool_calls ?? []).map((call, index) => ({
      id: call.id || `call_${index + 1}`,
      name: call.function.name,
      arguments: parsedArguments(call.function.arguments ?? ''),
    }));
    const tokens = logprobs?.content ?? [];
    const finish = finish_reason ? FINISHES[finish_reason] : undefined;
    if (finish_reason && !finish) onUnknown(finish_reason);
    return {
      text: contentText(message.content),
      toolCalls,
      finish: finishOf(finish ?? 'other', toolCalls.length > 0),
      ...(message.refusal && { refusal: message.refusal }),
      ...(model && { version: model }),
      usage: index === 0 ? usageOf(usage, price) : NO_USAGE,
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
    return { malformed: `it holds ${vectors.length} embeddings for ${count} texts` };
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
  const field = issue?.path.join('.') ?? '';
  return field === '' ? 'it is not a chat completion' : `its field "${field}" is missing or wrong`;
}

type Content = Completion['choices'][number]['message']['content'];

function contentText(content: Content): string {
  if (!Array.isArray(content)) return content ?? '';
  return content.map((part) => part.text ?? '').join('');
}

function parsedArguments(text: string): unknown {
  if (text.trim() === '') return {};
  return jsonOrText(text);
}

/** Some endpoints say `stop`, or words of their own, behind tool calls. */
function finishOf(finish: ModelReply['finish'], called: boolean): ModelReply['finish'] {
  return called && (finish === 'stop' || finish === 'other') ? 'tool-calls' : finish;
}

function usageOf(
  usage: Partial<NonNullable<Completion['usage']>> | null | undefined,
  price: Price | undefined,
): Usage {
  if (!usage) return { ...NO_USAGE, calls: 1 };
  const input = count(usage.prompt_tokens);
  const cached = Math.min(count(usage.prompt_tokens_details?.cached_tokens), input);
  const output = count(usage.completion_tokens);
  return {
    calls: 1,
    input_tokens: input,
    cached_tokens: cached,
    output_tokens: output,
    cost: price ? costOf({ input, output, cached }, price) : null,
  };
}

function count(value: number | null | undefined): number {
  return value !== null && value !== undefined && value > 0 ? Math.round(value) : 0;
}
