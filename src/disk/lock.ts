import { rename, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { CREATE, readRegular, writeRegular } from './regularFile.ts';

/** Maximum number of bytes in a process id. */
const MAX_BYTES = 32;

/** Milliseconds in which a process writes its id into the lock that it has created. */
const WRITING = 100;

/** Milliseconds between two attempts to get a lock. */
const RETRY = 20;

/** The locks that this process holds or is creating. */
const ownLocks = new Set<string>();

type Lock = { readonly release: () => Promise<void> } | { readonly holder: number };

/**
 * Creates a file that names this process, unless a running process has created it. Locks of killed processes don't
 * count.
 * @returns a function that removes the file, or the id of the process that holds the lock
 * @throws as `openRegular`
 */
export async function tryLock(path: string): Promise<Lock> {
  if (ownLocks.has(path)) return { holder: process.pid };
  ownLocks.add(path);
  const holder = await create(path).catch((error: unknown) => {
    ownLocks.delete(path);
    throw error;
  });
  if (holder > 0) {
    ownLocks.delete(path);
    return { holder };
  }
  return {
    release: async () => {
      await rm(path, { force: true }).catch(() => {});
      ownLocks.delete(path);
    },
  };
}

/**
 * Does short work under a lock, and waits for it.
 * @throws what `work` throws; an Error if another process holds the lock for longer than `patience` milliseconds
 */
export async function withLock<Result>(
  path: string,
  work: () => Promise<Result>,
  patience = 5000,
): Promise<Result> {
  const end = Date.now() + patience;
  let lock = await tryLock(path);
  while ('holder' in lock) {
    if (Date.now() > end)
      throw new Error(`process ${lock.holder} holds ${path}: stop it or delete that file`);
    await delay(RETRY);
    lock = await tryLock(path);
  }
  return work().finally(lock.release);
}

/** Whether a process on this machine holds the lock. */
export async function isLocked(path: string): Promise<boolean> {
  return ownLocks.has(path) || (await holderOf(path)) > 0;
}

/** @returns the id of another process that holds the lock, or 0 if this one created it */
async function create(path: string): Promise<number> {
  for (;;) {
    try {
      await writeRegular(path, `${process.pid}\n`, CREATE);
      return 0;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    let holder = await holderOf(path);
    if (holder === 0) {
      await delay(WRITING);
      holder = (await holderOf(path)) || (await removeStale(path));
    }
    if (holder > 0) return holder;
  }
}

/** Of several processes only one can rename the file. @returns the holder, if the lock was created meanwhile, or 0 */
async function removeStale(path: string): Promise<number> {
  const stale = `${path}.${process.pid}.stale`;
  try {
    await rename(path, stale);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
  const holder = await holderOf(stale);
  if (holder > 0) await rename(stale, path);
  else await rm(stale, { force: true });
  return holder;
}

/** The id of the other process that the file names, if that process is running, or 0. */
async function holderOf(path: string): Promise<number> {
  const pid = Number(await readRegular(path, MAX_BYTES).catch(() => ''));
  // A killed process may have had this process's id.
  if (!(pid > 0) || pid === process.pid) return 0;
  try {
    return process.kill(pid, 0) ? pid : 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? pid : 0;
  }
}
