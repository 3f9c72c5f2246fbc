import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * The process groups of a program, which leads the first, and of all that it started: a browser that an agent
 * starts has a group of its own. Undefined if the program has ended, since nothing then tells what it
 * had started. On Windows a program stands for all of them.
 */
export async function groupsOf(pid: number): Promise<ReadonlySet<number> | undefined> {
  if (process.platform === 'win32') return new Set([pid]);
  const listed = await listProcesses().catch(() => []);
  if (!listed.some((one) => one.pid === pid)) return undefined;
  const groups = new Set([pid]);
  const waiting = [pid];
  for (const parent of waiting) {
    for (const child of listed.filter((one) => one.parent === parent)) {
      groups.add(child.group);
      waiting.push(child.pid);
    }
  }
  return groups;
}

/**
 * Ends a program at once with all that it started.
 *
 * @param seen groups that it was seen to have started: it may no longer be there to tell
 */
export async function killTree(pid: number, seen: Iterable<number>): Promise<void> {
  const groups = new Set([pid, ...seen]);
  for (let stopped = 0; stopped < groups.size; ) {
    stopped = groups.size;
    // What runs on could start another after our look.
    for (const group of groups) stopGroup(group);
    for (const group of (await groupsOf(pid)) ?? []) groups.add(group);
  }
  await killGroups(groups);
}

/** Ends groups at once, that of the program last: it may be the one that ends them. */
export async function killGroups(groups: Iterable<number>): Promise<void> {
  await Promise.all([...groups].reverse().map(killGroup));
}

function stopGroup(group: number): void {
  if (process.platform === 'win32') return;
  try {
    process.kill(-group, 'SIGSTOP');
  } catch {
    // It had ended by itself.
  }
}

async function killGroup(group: number): Promise<void> {
  try {
    if (process.platform === 'win32') {
      const args = ['/PID', String(group), '/T', '/F'];
      await promisify(execFile)('taskkill', args, { windowsHide: true });
    } else {
      process.kill(-group, 'SIGKILL');
    }
  } catch {
    // It had ended by itself.
  }
}

/** Whether some process is left of the group that a program led. */
export function groupExists(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

/** Those that run; one that has ended may be listed until somebody has asked after it. */
async function listProcesses(): Promise<ProcessInfo[]> {
  // Linux without `ps`, as in slim containers, has `/proc`; others have `ps`.
  const lines = process.platform === 'linux' ? await readProc() : await readPs();
  return lines.flatMap((line) => {
    const [pid, state = '', parent, group] = line.trim().split(/\s+/);
    if (state === '' || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group) }];
  });
}

async function readPs(): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,state=,ppid=,pgid=']);
  return stdout.split('\n');
}

async function readProc(): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = ids.map(async (id) => {
    const stat = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
    // `42 (a (strange) name) S 1 42 …`
    const [state = '', parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${id} ${state} ${parent} ${group}`;
  });
  return Promise.all(lines);
}
