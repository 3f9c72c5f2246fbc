import type { Connection } from 'vscode-languageserver/node';
import { verdictMarks } from '../language/features/verdictMarks.ts';
import { isEvalFile } from '../protocol/fileNames.ts';
import { VERDICT_MARKS, type VerdictMarks } from '../protocol/verdictMarks.ts';
import type { Workspace } from './workspace.ts';

/** Sends the client the lines of an eval file that hold judged turns; nothing if it is not open. */
export function markSender(
  connection: Connection,
  { openAt, documentAt, lastRuns, casesNow }: Workspace,
) {
  /** The number of the last look at each file; an earlier look may take longer. */
  const looks = new Map<string, number>();
  let count = 0;
  return async (path: string): Promise<void> => {
    const open = openAt(path);
    if (!open || !isEvalFile(path)) return;
    count += 1;
    const look = count;
    looks.set(path, look);
    const document = await documentAt(path);
    if (!document) return;
    const marks = await verdictMarks(document, lastRuns, casesNow);
    if (looks.get(path) !== look) return;
    const sent: VerdictMarks = { uri: open.uri, marks };
    await connection.sendNotification(VERDICT_MARKS, sent);
  };
}
