import { readdirSync, readFileSync } from 'node:fs';
import { systemProgramOutput } from '../../disk/systemProgram.ts';

/**
 * The process groups of a program, which leads the first one, and of everything that it started: a browser, for
 * example, has its own group. Undefined if the program has ended, because it is then unknown which programs it started.
 * On Windows, only the program's id.
 *
 * @param processes all that run now
 */
export async function groupsOf(
  pid: number,
  processes = listProcesses(),
): Promise<ReadonlySet<number> | undefined> {
  if (process.platform === 'win32') return new Set([pid]);
  const listed = await processes;
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
 * Kills a program and everything that it started.
 *
 * @param seen groups that it started earlier, which are no longer visible if it has ended
 */
export async function killTree(pid: number, seen: Iterable<number>): Promise<void> {
  const groups = new Set([pid, ...seen]);
  for (let stopped = 0; stopped < groups.size; ) {
    stopped = groups.size;
    // A running process could start another one after this listing.
    for (const group of groups) stopGroup(group);
    for (const group of (await groupsOf(pid)) ?? []) groups.add(group);
  }
  await killGroups(groups);
}

/** Kills groups. The program's own group comes last, because it may contain the caller. */
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

/** Running processes, not including zombies. None on Windows, or if they can't be listed. */
export async function listProcesses(): Promise<readonly ProcessInfo[]> {
  if (process.platform === 'win32') return [];
  const lines = await readProcesses().catch(() => []);
  return lines.flatMap((line) => {
    const [pid, state = '', parent, group] = line.trim().split(/\s+/);
    if (state === '' || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group) }];
  });
}

async function readProcesses(): Promise<string[]> {
  // Minimal Linux containers have no `ps`, but all of them have `/proc`.
  if (process.platform === 'linux') return readProc();
  return (await systemProgramOutput('ps', ['-A', '-o', 'pid=,state=,ppid=,pgid='])).split('\n');
}

/** Synchronous, because these files are in memory: reading them with promises takes six times as much CPU time. */
function readProc(): string[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.map((id) => {
    const stat = statOf(id);
    // `42 (a (strange) name) S 1 42 …`
    const [state = '', parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${id} ${state} ${parent} ${group}`;
  });
}

function statOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/stat`, 'utf8');
  } catch {
    // It has already ended.
    return '';
  }
}
