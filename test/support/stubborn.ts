import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from './until.ts';

const IGNORING =
  "for (const one of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(one, () => {}); setInterval(() => {}, 1000);";

/**
 * The beginning of a program that heeds no signal and no end of its input, starts a process in its
 * group and one outside of it that do neither, and then writes the three down.
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

/** The processes of a stubborn program in a folder, once they have started. */
export async function startedIn(folder: string): Promise<number[]> {
  const read = () => readFile(join(folder, 'started'), 'utf8').catch(() => '');
  const ids = await until('a stubborn program', read, (text) => text !== '');
  return ids.split(' ').map(Number);
}

/** Resolves once none of the processes runs any more. */
export async function gone(ids: readonly number[]): Promise<void> {
  const left = async () => (await Promise.all(ids.map(runs))).filter(Boolean).length;
  await until('the end of all processes', left, (count) => count === 0);
}

/** One that has ended and that nobody has asked after yet is gone too. */
async function runs(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/\) Z /.test(stat);
}
