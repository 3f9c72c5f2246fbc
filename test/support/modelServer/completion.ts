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
  const input = answer.usage?.input ?? tokens(textOf(body).length);
  const output = answer.usage?.output ?? tokens(answer.text?.length ?? 0);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: answer.usage
        ? (answer.usage.cached ?? 0)
        : Math.floor(longestShared(body, earlier) / 4),
    },
  };
}

/** Characters that this request begins with and an earlier one began with too. */
function longestShared(body: ChatBody, earlier: readonly ChatBody[]): number {
  const text = textOf(body);
  return Math.max(0, ...earlier.map((other) => commonPrefix(text, textOf(other))));
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
