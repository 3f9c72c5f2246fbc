import type { ChatBody } from './chatBody.ts';
import type { Answer } from './steps.ts';

/** The endpoint's reply in the shape of OpenAI's Responses. */
export function responseOf(step: string | Answer, { model }: ChatBody) {
  const answer: Answer = typeof step === 'string' ? { text: step } : step;
  const {
    id,
    thought,
    text,
    refusal,
    toolCalls = [],
    finish = 'stop',
    usage,
    tokens = [],
  } = answer;
  const logprobs = tokens.map(({ text: token, top = {} }) => ({
    token,
    logprob: top[token] ?? 0,
    top_logprobs: Object.entries(top).map(([token, logprob]) => ({ token, logprob })),
  }));
  const content = [
    ...(text ? [{ type: 'output_text', text, annotations: [], logprobs }] : []),
    ...(refusal ? [{ type: 'refusal', refusal }] : []),
  ];
  const isCut = finish !== 'stop' && finish !== 'error';
  const status = isCut ? 'incomplete' : 'completed';
  const output = [
    ...(thought ? [thoughtItem(thought)] : []),
    ...(content.length > 0
      ? [{ type: 'message', id: `msg_${id ?? 1}`, role: 'assistant', status, content }]
      : []),
    ...toolCalls.map((call, index) => ({
      type: 'function_call',
      id: `fc_${id ? `${id}_` : ''}${index + 1}`,
      call_id: call.id ?? `call_${index + 1}`,
      name: call.name,
      status,
      arguments:
        typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    })),
  ];
  return {
    id: `resp_${id ?? 'test'}`,
    object: 'response',
    model: answer.version ?? `${model}-2025-01-01`,
    status: finish === 'error' ? 'failed' : status,
    error: finish === 'error' ? { code: 'server_error', message: 'The model failed.' } : null,
    incomplete_details: isCut ? { reason: finish } : null,
    output,
    ...(usage !== null && {
      usage: {
        input_tokens: usage?.input ?? 10,
        input_tokens_details: { cached_tokens: usage?.cached ?? 0 },
        output_tokens: usage?.output ?? 2,
      },
    }),
  };
}

/** A model's reasoning, in the form in which the client must send it back. */
export function thoughtItem(thought: string) {
  return { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: thought };
}
