import type { ChatBody } from './server.ts';
import type { Answer } from './steps.ts';

/** The endpoint's reply in OpenAI's shape. */
export function completion(step: string | Answer, body: ChatBody, earlier: readonly ChatBody[]) {
  const answer = typeof step === 'string' ? { text: step } : step;
  const calls = answer.toolCalls ?? [];
  const message = {
    role: 'assistant',
    content: answer.text ?? null,
    refusal: answer.refusal ?? null,
    ...(calls.length > 0 && {
      tool_calls: calls.map((call, index) => ({
        id: call.id ?? `call_${index + 1}`,
        type: 'function',
        function: {
          name: call.name,
          arguments:
            typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
        },
      })),
    }),
  };
  const finish = answer.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  return {
    id: 'chatcmpl-test',
    object: 'chat.completion',
    created: 0,
    model: answer.version ?? `${body.model}-2025-01-01`,
    choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
    ...(answer.usage !== null && { usage: usage(answer, body, earlier) }),
  };
}

function usage(answer: Answer, body: ChatBody, earlier: readonly ChatBody[]) {
  const text = textOf(body);
  const shared = Math.max(0, ...earlier.map((other) => commonPrefix(text, textOf(other))));
  const input = answer.usage?.input ?? tokens(text.length);
  const output = answer.usage?.output ?? tokens(answer.text?.length ?? 0);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: answer.usage ? (answer.usage.cached ?? 0) : Math.floor(shared / 4),
    },
  };
}

function textOf(body: ChatBody): string {
  return body.messages.map(({ role, content }) => `${role}\n${content ?? ''}\n`).join('');
}

function tokens(characters: number): number {
  return Math.ceil(characters / 4);
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
