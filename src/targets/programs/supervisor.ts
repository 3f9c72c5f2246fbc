import { createInterface } from 'node:readline';
import { groupsOf, killTree } from './groups.ts';

/**
 * The process that outlives ours by a moment. It is told of each program that begins (`+42`) and ends
 * (`-42`); when its input ends because we are gone, whatever ended us, it ends the programs that are left.
 */

/** How often it looks what programs have started, in milliseconds. */
const SCAN_INTERVAL = 500;

/** Groups by the program they came from, as of the latest look: one that ends with us can no longer tell. */
const running = new Map<number, ReadonlySet<number>>();

async function scan(): Promise<void> {
  for (const [pid, seen] of running) {
    const groups = await groupsOf(pid);
    if (running.has(pid)) running.set(pid, groups ?? seen);
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
const looking = setInterval(scan, SCAN_INTERVAL);

for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1));
  if (line.startsWith('+')) running.set(pid, new Set([pid]));
  else running.delete(pid);
}
clearInterval(looking);
await Promise.all([...running].map(([pid, seen]) => killTree(pid, seen)));
