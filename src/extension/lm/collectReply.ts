import type { EditorReply } from '../../core/editorModels.ts';
import { LIMITS } from '../../core/limits.ts';

type Call = EditorReply['toolCalls'][number];

/** A part of a streamed reply. */
export type Part = { readonly text: string } | { readonly call: Call };

/**
 * Collects a streamed reply. Stops reading once the size limit is exceeded; the reply is then rejected because of its
 * length.
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
