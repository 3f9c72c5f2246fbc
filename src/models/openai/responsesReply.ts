import * as z from 'zod';
import type { ModelReply } from '../model.ts';
import type { Price } from '../price.ts';
import {
  complaintAbout,
  finishOf,
  parsedArguments,
  replyToken,
  reportedError,
  tokenSchema,
  usageOf,
} from './replyParts.ts';

const itemSchema = z.looseObject({
  type: z.string(),
  content: z
    .array(
      z.object({
        type: z.string(),
        text: z.string().nullish(),
        refusal: z.string().nullish(),
        logprobs: z.array(tokenSchema).nullish().catch(undefined),
      }),
    )
    .nullish(),
  call_id: z.string().nullish(),
  name: z.string().nullish(),
  arguments: z.string().nullish(),
});

/** What we read of a response; endpoints add fields of their own and leave others out. */
const responseSchema = z.object({
  model: z.string().nullish(),
  status: z.string().nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  output: z.array(itemSchema),
  usage: z
    .object({
      input_tokens: z.number().nullish(),
      output_tokens: z.number().nullish(),
      input_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
});

type Response = z.infer<typeof responseSchema>;

const FINISHES: Readonly<Record<string, ModelReply['finish']>> = {
  max_output_tokens: 'length',
  content_filter: 'content-filter',
};

/** As `readReplies`, of one response. */
export function readResponse(
  body: unknown,
  price: Price | undefined,
  onUnknown: (reason: string) => void,
): readonly ModelReply[] | { readonly malformed: string } {
  const parsed = responseSchema.safeParse(body);
  if (!parsed.success) return { malformed: complaintAbout(body, parsed.error, 'a response') };
  const { output, usage, model } = parsed.data;
  const failure = reportedError(body);
  if (failure !== undefined) return { malformed: `it reports an error: ${failure}` };
  const parts = output.flatMap(({ type, content }) => (type === 'message' ? (content ?? []) : []));
  const refusal = parts.map((part) => part.refusal ?? '').join('');
  const tokens = parts.flatMap(({ logprobs }) => logprobs ?? []);
  const thoughts = output.filter(({ type }) => type === 'reasoning');
  const toolCalls = callsIn(output);
  return [
    {
      text: parts.map(({ text }) => text ?? '').join(''),
      toolCalls,
      finish: finishOf(statedFinish(parsed.data, onUnknown), toolCalls.length > 0),
      ...(refusal !== '' && { refusal }),
      ...(model && { version: model }),
      usage: usageOf(usage ? countsOf(usage) : undefined, price),
      ...(thoughts.length > 0 && { thoughts }),
      ...(tokens.length > 0 && { tokens: tokens.map(replyToken) }),
    },
  ];
}

function callsIn(output: Response['output']): ModelReply['toolCalls'] {
  return output
    .filter(({ type }) => type === 'function_call')
    .map(({ call_id: id, name, arguments: given }, index) => ({
      id: id || `call_${index + 1}`,
      name: name ?? '',
      arguments: parsedArguments(given ?? ''),
    }));
}

function statedFinish(
  { status, incomplete_details: details }: Response,
  onUnknown: (reason: string) => void,
): ModelReply['finish'] {
  if (status === 'failed' || status === 'cancelled') return 'error';
  if (status !== 'incomplete') return 'stop';
  const reason = details?.reason ?? 'incomplete';
  const finish = FINISHES[reason];
  if (!finish) onUnknown(reason);
  return finish ?? 'other';
}

function countsOf({
  input_tokens: input,
  output_tokens: output,
  input_tokens_details: details,
}: NonNullable<Response['usage']>) {
  return { input, output, cached: details?.cached_tokens };
}
