import type { Conversation, Turn } from '../../core/conversation.ts';

/** A message in the shorthand. */
type Message = Readonly<Record<string, unknown>>;

/** A conversation as messages in the shorthand, tool calls as they were made. */
export function writtenMessages({ entries }: Conversation): Message[] {
  return entries.flatMap((entry) =>
    entry.kind === 'system' ? [{ [entry.role]: entry.text }] : messagesOfTurn(entry),
  );
}

function messagesOfTurn({ side, items, retrievalContext }: Turn): Message[] {
  const messages: Record<string, unknown>[] = [];
  let open: Record<string, unknown> | undefined;
  for (const item of items) {
    if (item.kind === 'system') {
      messages.push({ [item.role]: item.text });
      open = undefined;
    } else if (item.kind === 'text') {
      open = { [side]: item.text, ...(item.agent && { agent: item.agent }) };
      messages.push(open);
    } else {
      const { id, name, arguments: given } = item.call;
      // Calls with their results, one after the other: a result stands after its call.
      const called = typeof given === 'string' ? given : JSON.stringify(given);
      const tool_calls = [{ id, type: 'function', function: { name, arguments: called } }];
      const { agent } = item;
      if (open && open.agent === agent) open.tool_calls = tool_calls;
      else messages.push({ assistant: null, tool_calls, ...(agent && { agent }) });
      open = undefined;
      if (item.result !== undefined) messages.push({ tool: item.result, tool_call_id: id });
    }
  }
  const last = messages.findLast((message) => 'assistant' in message);
  if (last && retrievalContext) last.retrieval_context = retrievalContext;
  return messages;
}
