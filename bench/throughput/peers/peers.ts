import { say } from '../../print.ts';
import type { Subject } from '../subjects.ts';
import { agentv } from './agentv.ts';
import { promptfoo } from './promptfoo.ts';
import { deepEval } from './runDeepEval.ts';

/** Other tools, and why some are not there. */
export interface Peers {
  readonly subjects: readonly Subject[];
  readonly skipped: readonly string[];
}

export async function installedPeers(): Promise<Peers> {
  const found = [await agentv(), await promptfoo(), await deepEval()];
  const skipped = found.flatMap((one) => ('missing' in one ? [one.missing] : []));
  for (const why of skipped) say(`SKIPPED: ${why}`);
  return { subjects: found.flatMap((one) => ('missing' in one ? [] : one)), skipped };
}
