import * as z from 'zod';
import type { Status } from '../verdict.ts';
import { labelSchema } from './label.ts';

/** What a person says of a verdict that is shown. */
export const opinionSchema = z.strictObject({
  ...labelSchema.pick({
    assertion: true,
    turn: true,
    status: true,
    label: true,
    score: true,
    comment: true,
  }).shape,
  person: z.string(),
  standing: z.enum(['current', 'other-question', 'earlier-text']),
});

export type Opinion = z.infer<typeof opinionSchema>;

/** A verdict as a label names it: an assertion of a conversation, or of one of its turns. */
export type Subject = Pick<Opinion, 'assertion' | 'turn'>;

export function subjectKey({ assertion, turn }: Subject): string {
  return JSON.stringify([assertion, turn]);
}

/** Whether a person says the same as a verdict. */
export function saysSame(
  opinion: Pick<Opinion, 'status' | 'label'>,
  verdict: { readonly status: Status; readonly label?: string | undefined },
): boolean {
  if (opinion.status !== verdict.status) return false;
  return opinion.label === undefined || opinion.label === verdict.label;
}

/** Whether somebody says that a verdict is wrong, of the text that it judged. */
export function isCalledWrong(
  opinions: readonly Opinion[],
  verdict: Parameters<typeof saysSame>[1],
): boolean {
  return opinions.some((one) => one.standing !== 'earlier-text' && !saysSame(one, verdict));
}
