import * as z from 'zod';
import { NO_USAGE, type Usage } from '../../core/verdict.ts';
import type { ModelReply } from '../model.ts';
import type { Price } from '../openai.ts';

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

/** The reply, or in `malformed` what is wrong with it. */
export function readReply(
  body: unknown,
  price: Price | undefined,
): ModelReply | { readonly malformed: string } {
  const parsed = completionSchema.safeParse(body);
  if (!parsed.success) return { malformed: complaint(body, parsed.error) };
  const [choice] = parsed.data.choices;
  if (!choice) return { malformed: 'it holds no choices' };
  const { message } = choice;
  const toolCalls = (message.tool_calls ?? []).map((call, index) => ({
    id: call.id || `call_${index + 1}`,
    name: call.function.name,
    arguments: parsedArguments(call.function.arguments ?? ''),
  }));
  return {
    text: contentText(message.content),
    toolCalls,
    finish: finishOf(choice.finish_reason, toolCalls.length > 0),
    ...(message.refusal && { refusal: message.refusal }),
    ...(parsed.data.model && { version: parsed.data.model }),
    usage: usageOf(parsed.data.usage, price),
  };
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
function usageOf(usage: Completion['usage'], price: Price | undefined): Usage {
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
