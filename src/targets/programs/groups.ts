import { readdir, readFile } from 'node:fs/promises';
import { systemProgramOutput } from '../../disk/systemProgram.ts';

/**
 * The process groups of a program, which leads the first one, and of everything it started, such as a browser, which
 * has its own group. Undefined if the program has ended, because the programs that it started are unknown then. On
 * Windows, only the program's id.
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
 * Kills a program and everything it started.
 *
 * @param seen groups that it started earlier: it may have ended and no longer show them
 */
export async function killTree(pid: number, seen: Iterable<number>): Promise<void> {
  const groups = new Set([pid, ...seen]);
  for (let stopped = 0; stopped < groups.size; ) {
    stopped = groups.size;
    // A running process could start another after the listing.
    for (const group of groups) stopGroup(group);
    for (const group of (await groupsOf(pid)) ?? []) groups.add(group);
  }
  await killGroups(groups);
}

/** Kills groups, the program's own last, since it may be the caller. */
export async function killGroups(groups: Iterable<number>): Promise<void> {
  await Promise.all([...groups].reverse().map(killGroup));
}

function stopGroup(group: number): void {
  if (process.platform === 'win32') return;
  try {
    process.kill(-group, 'SIGSTOP');
  } catch {
    // It has already ended.
  }
}

async function killGroup(group: number): Promise<void> {
  try {
    if (process.platform === 'win32') {
      const args = ['/PID', String(group), '/T', '/F'];
      await systemProgramOutput('taskkill', args, { windowsHide: true });
    } else {
      process.kill(-group, 'SIGKILL');
    }
  } catch {
    // It has already ended.
  }
}

/** Whether any process of a program's group is still running. */
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

/** Running processes, without zombies. */
async function listProcesses(): Promise<ProcessInfo[]> {
  // Slim Linux containers have no `ps`, but all have `/proc`.
  const lines = process.platform === 'linux' ? await readProc() : await readPs();
  return lines.flatMap((line) => {
    const [pid, state = '', parent, group] = line.trim().split(/\s+/);
    if (state === '' || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group) }];
  });
}

async function readPs(): Promise<string[]> {
  return (await systemProgramOutput('ps', ['-A', '-o', 'pid=,state=,ppid=,pgid='])).split('\n');
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
