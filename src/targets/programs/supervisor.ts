import { createInterface } from 'node:readline';
import { groupsOf, killTree, listProcesses } from './groups.ts';

/**
 * A process that briefly outlives Turnlight's. It reads which programs start (`+42`) and end (`-42`). When its input
 * closes because Turnlight's process is gone for whatever reason, it ends the remaining programs.
 */

/** Milliseconds from one scan for processes that programs have started to the next one. */
const SCAN_INTERVAL = 500;

/**
 * Groups by program, as of the latest scan. Once a program has ended together with Turnlight, its groups are no longer
 * visible.
 */
const running = new Map<number, ReadonlySet<number>>();

async function scan(): Promise<void> {
  // One listing for all programs, of which there can be hundreds.
  if (running.size > 0) {
    const processes = listProcesses();
    for (const [pid, seen] of running) {
      const groups = await groupsOf(pid, processes);
      if (running.has(pid)) running.set(pid, groups ?? seen);
    }
  }
  setTimeout(scan, SCAN_INTERVAL).unref();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
setTimeout(scan, SCAN_INTERVAL).unref();

for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1));
  if (line.startsWith('+')) running.set(pid, new Set([pid]));
  else running.delete(pid);
}
await Promise.all([...running].map(([pid, seen]) => killTree(pid, seen)));
