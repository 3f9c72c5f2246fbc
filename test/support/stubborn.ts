import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from './until.ts';

const IGNORING =
  "for (const one of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(one, () => {}); setInterval(() => {}, 1000);";

/**
 * Code at the start of a program that ignores signals and the end of its input. It starts one process in its group and
 * one outside of it that do the same, and then writes the ids of all three to a file.
 */
export const STUBBORN = `import { spawn } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
const ignoring = ${JSON.stringify(IGNORING)};
const near = spawn(process.execPath, ['-e', ignoring], { stdio: 'ignore' });
const far = spawn(process.execPath, ['-e', ignoring], { stdio: 'ignore', detached: true });
${IGNORING}
writeFileSync('started.tmp', [process.pid, near.pid, far.pid].join(' '));
renameSync('started.tmp', 'started');
`;

/** Ids of a stubborn program's processes in a folder, once they have started. */
export async function startedIn(folder: string): Promise<number[]> {
  const read = () => readFile(join(folder, 'started'), 'utf8').catch(() => '');
  const ids = await until('a stubborn program', read, (text) => text !== '');
  return ids.split(' ').map(Number);
}

/** Resolves when none of the processes is running. */
export async function gone(ids: readonly number[]): Promise<void> {
  const left = async () => (await Promise.all(ids.map(runs))).filter(Boolean).length;
  await until('the end of all processes', left, (count) => count === 0);
}

/** A zombie process counts as ended. */
async function runs(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/\) Z /.test(stat);
}
