import type { Message } from '../core/message.ts';

/** A canonical message as OpenAI Chat Completions write it; what targets are given. */
export function toOpenaiChat(message: Message): Record<string, unknown> {
  switch (message.role) {
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    case 'assistant': {
      const { content, toolCalls, retrievalContext, agent } = message;
      const calls = toolCalls?.map(({ id, name, arguments: given }) => ({
        id,
        type: 'function',
        function: {
          name,
          arguments: typeof given === 'string' ? given : JSON.stringify(given),
        },
      }));
      return {
        role: 'assistant',
        content: content === '' && calls ? null : content,
        ...(calls && { tool_calls: calls }),
        ...(retrievalContext && { retrieval_context: retrievalContext }),
        ...(agent && { agent }),
      };
    }
    default:
      return { role: message.role, content: message.content };
  }
}
