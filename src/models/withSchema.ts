import type { Message } from '../core/message.ts';
import type { ModelRequest } from './model.ts';

/** Says the schema at the very end, so that what stands before it stays the same for a prompt cache. */
export function withSchema(
  messages: readonly Message[],
  answer: NonNullable<ModelRequest['answer']>,
): readonly Message[] {
  const words = `Answer with one JSON object and nothing else. It must fit this JSON Schema:\n\n${JSON.stringify(answer.schema)}`;
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: words }];
  return [...messages.slice(0, -1), { role: 'user', content: `${last.content}\n\n${words}` }];
}
