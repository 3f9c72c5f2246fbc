import { say } from '../../print.ts';
import type { Subject } from '../subjects.ts';
import { agentv } from './agentv.ts';
import type { Found } from './peer.ts';
import { promptfoo } from './promptfoo.ts';
import { deepEval } from './runDeepEval.ts';

/** Other tools, and why some are missing. */
export interface Peers {
  readonly subjects: readonly Subject[];
  readonly skipped: readonly string[];
}

/** Tools by the names that the options use. */
const PEERS: Readonly<Record<string, () => Promise<Found>>> = {
  agentv,
  promptfoo,
  deepeval: deepEval,
};

export const PEER_NAMES = Object.keys(PEERS);

/** @param names from `PEER_NAMES`; other tools aren't installed */
export async function installedPeers(names: readonly string[]): Promise<Peers> {
  const found: Found[] = [];
  for (const name of names) found.push((await PEERS[name]?.()) ?? []);
  const skipped = found.flatMap((one) => ('missing' in one ? [one.missing] : []));
  for (const why of skipped) say(`SKIPPED: ${why}`);
  return { subjects: found.flatMap((one) => ('missing' in one ? [] : one)), skipped };
}
