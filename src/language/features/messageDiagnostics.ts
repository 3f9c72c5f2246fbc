import type { Problem } from '../../core/problem.ts';
import { loadTranscript } from '../../evalfile/transcript.ts';

/**
 * What is wrong with a file of messages, message by message in every dialect, each at its line and
 * field. Of `.json`, `.jsonl` and YAML files, as their names say.
 *
 * @param path absolute
 */
export function messageProblems(text: string, path: string): Problem[] {
  return [...loadTranscript(text, path).problems];
}
