import { createInterface } from 'node:readline';
import { groupsOf, killTree } from './groups.ts';

/**
 * A process that briefly outlives ours. It reads which programs start (`+42`) and end (`-42`); when its input closes
 * because our process is gone for any reason, it ends the remaining programs.
 */

/** Milliseconds between scans for processes that programs have started. */
const SCAN_INTERVAL = 500;

/** Groups by program, as of the latest scan: a program that ends with us no longer shows its own. */
const running = new Map<number, ReadonlySet<number>>();

async function scan(): Promise<void> {
  for (const [pid, seen] of running) {
    const groups = await groupsOf(pid);
    if (running.has(pid)) running.set(pid, groups ?? seen);
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
const scanTimer = setInterval(scan, SCAN_INTERVAL);

for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1));
  if (line.startsWith('+')) running.set(pid, new Set([pid]));
  else running.delete(pid);
}
clearInterval(scanTimer);
await Promise.all([...running].map(([pid, seen]) => killTree(pid, seen)));
