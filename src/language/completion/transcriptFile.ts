import { dirname } from 'node:path';
import type { SourcedMessage } from '../../core/conversation.ts';
import { resolveReference } from '../../evalfile/files.ts';
import { readTranscriptFile } from '../../evalfile/transcript.ts';
import { runCooperatively } from '../../node/cooperative.ts';
import type { CompletionRequest } from '../ports.ts';

/** The messages of a file that a case refers to; empty if it can't be read. */
export async function messagesOfFile(
  reference: string,
  { files, path, readText, step, workspace }: CompletionRequest,
): Promise<readonly SourcedMessage[]> {
  if (!files || !readText) return [];
  const folder = dirname(path);
  const found = await resolveReference(reference, folder, workspace ?? folder, files);
  const text = found.kind === 'file' ? await readText(found.path) : undefined;
  if (found.kind !== 'file' || text === undefined) return [];
  return (await runCooperatively(readTranscriptFile(text, found.path), step)).messages;
}
