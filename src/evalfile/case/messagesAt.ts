import { inSteps } from '../../core/steps.ts';
import { readReferenced } from '../referencedFiles.ts';
import type { Location, Scope } from '../scope.ts';
import { type LoadedTranscript, readTranscript, readTranscriptFile } from '../transcript.ts';

/** The messages that stand in a case, or in the file that it names; undefined if there is no such file. */
export async function messagesAt(
  value: unknown,
  location: Location,
  scope: Scope,
): Promise<LoadedTranscript | undefined> {
  if (typeof value !== 'string') return readTranscript(value, location.document, location.path);
  const found = await readReferenced(value, location, 'transcript', scope);
  return found && inSteps(readTranscriptFile(found.text, found.path), scope.step);
}
