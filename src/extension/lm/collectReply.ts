import type { EditorReply } from '../../core/editorModels.ts';
import { LIMITS } from '../../core/limits.ts';

type Call = EditorReply['toolCalls'][number];

/** What a model streams. */
export type Part = { readonly text: string } | { readonly call: Call };

/**
 * Puts a streamed reply together. One that goes on for longer than is read of any is left off where it
 * is too long: who reads it refuses it for its length.
 */
export async function collectReply(parts: AsyncIterable<Part>): Promise<EditorReply> {
  let text = '';
  let size = 0;
  const toolCalls: Call[] = [];
  for await (const part of parts) {
    if ('text' in part) text += part.text;
    else toolCalls.push(part.call);
    size += 'text' in part ? part.text.length : JSON.stringify(part.call).length;
    if (size > LIMITS.reply) break;
  }
  return { text, toolCalls };
}
