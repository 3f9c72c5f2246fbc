import { inSteps } from '../../node/cooperative.ts';
import { readReferenced } from '../referencedFiles.ts';
import { within } from '../scope.ts';
import { type LoadedTranscript, readTranscript, readTranscriptFile } from '../transcript.ts';
import type { ReadCase } from './readCase.ts';

/** The messages that stand in a case, or in the file that it names; undefined if there is no such file. */
export async function messagesAt(
  key: 'transcript' | 'history',
  { input, location, scope }: ReadCase,
): Promise<LoadedTranscript | undefined> {
  const { [key]: value, roles } = input;
  const { document, path, ...at } = within(location, key);
  if (typeof value !== 'string') return readTranscript(value, document, path, 'refused', roles);
  const found = await readReferenced(value, { document, path, ...at }, 'transcript', scope);
  return found && inSteps(readTranscriptFile(found.text, found.path, roles), scope.step);
}
