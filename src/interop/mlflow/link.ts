import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { CaseIdentity } from '../../core/identity.ts';
import { evalName } from '../../core/record/labelFiles.ts';

/** What is written beside an eval file that was pulled, whose sessions are which. */
export const linkSchema = z.object({
  experiment: z.object({ experiment_id: z.string(), name: z.string() }),
  /** By the id of the case; the first trace stands first. */
  sessions: z.record(
    z.string(),
    z.object({ session: z.string(), traces: z.array(z.string()).min(1) }),
  ),
});

export type Link = z.infer<typeof linkSchema>;

/** `shop.sessions` beside `shop.eval.yaml`. */
export function sessionsFolder(evalFile: string): string {
  return join(dirname(evalFile), `${evalName(evalFile)}.sessions`);
}

export function linkFile(evalFile: string): string {
  return join(sessionsFolder(evalFile), 'mlflow.json');
}

/** The session that a case, or the variant of one, was; undefined if it was none. */
export function sessionOf(
  { sessions }: Link,
  { id, variant }: Pick<CaseIdentity, 'id' | 'variant'>,
): Link['sessions'][string] | undefined {
  const key = [id, variant?.replace(/\.yaml$/, '')].find(
    (one) => one !== undefined && Object.hasOwn(sessions, one),
  );
  return key === undefined ? undefined : sessions[key];
}
