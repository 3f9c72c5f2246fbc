import type { ChatBody } from './chatBody.ts';
import type { Answer, TokenAnswer } from './steps.ts';

/** The endpoint's reply in OpenAI's shape, with a choice for each answer. */
export function completion(
  steps: readonly [string | Answer, ...(string | Answer)[]],
  body: ChatBody,
  earlier: readonly ChatBody[],
) {
  const answers = steps.map((step) => (typeof step === 'string' ? { text: step } : step));
  const first: Answer = answers[0] ?? {};
  return {
    id: `chatcmpl-${first.id ?? 'test'}`,
    object: 'chat.completion',
    created: 0,
    model: first.version ?? `${body.model}-2025-01-01`,
    choices: answers.map((answer, index) => ({ index, ...choice(answer, body) })),
    ...(first.usage !== null && { usage: usage(first, answers, body, earlier) }),
  };
}

function choice(answer: Answer, body: ChatBody) {
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
  return {
    message,
    finish_reason: answer.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    logprobs: body.logprobs === true && answer.tokens ? logprobs(answer.tokens) : null,
  };
}

function logprobs(answered: readonly TokenAnswer[]) {
  return {
    content: answered.map(({ text, top = {} }) => ({
      token: text,
      logprob: top[text] ?? 0,
      top_logprobs: Object.entries(top).map(([token, logprob]) => ({ token, logprob })),
    })),
  };
}

function usage(
  answer: Answer,
  all: readonly Answer[],
  body: ChatBody,
  earlier: readonly ChatBody[],
) {
  const input = answer.usage?.input ?? tokens(textOf(body).length);
  const written = all.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
  const output = answer.usage?.output ?? tokens(written);
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

/** Length of the longest prefix that this request shares with an earlier one, in characters. */
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
