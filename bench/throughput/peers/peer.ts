import { type Missing, scriptOf } from '../../npmTool.ts';
import type { Load, Subject } from '../subjects.ts';

/** Another tool, with one subject for each way to use it, or the reason why it is missing. */
export type Found = readonly Subject[] | Missing;

/** What each tool's judge is asked: the same questions as our assertions, in brief. */
const CRITERIA = [
  { name: 'completeness', text: 'Did the assistant do everything that the user asked for?' },
  { name: 'relevancy', text: 'Is each reply of the assistant relevant to what was said before?' },
];

export function criteriaOf({ judged }: Load) {
  return CRITERIA.slice(0, judged);
}

/** @param subjects returns the subjects, given the path of the command's script */
export async function fromNpm(
  name: string,
  version: string,
  subjects: (script: string) => readonly Subject[],
): Promise<Found> {
  const script = await scriptOf(name, version);
  return typeof script === 'string' ? subjects(script) : script;
}
