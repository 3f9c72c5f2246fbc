import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ReasonedError } from '../core/errors.ts';
import { CREATING, readRegular, writeRegular } from '../disk/regularFile.ts';

/** Another run writes the record. `message` says which process, and what to do. */
export class RecordBusyError extends ReasonedError<'busy'> {
  override readonly name = 'RecordBusyError';
}

/** Bytes of the number of a process. */
const MAX_BYTES = 32;

/** What this process holds. */
const held = new Set<string>();

/**
 * Keeps a run's record in a folder to one writer, by a file beside it that names the process. What a killed
 * process left of it counts for nothing.
 *
 * @returns what gives it free
 * @throws RecordBusyError, or what the system says
 */
export async function claimRecord(folder: string, id: string): Promise<() => Promise<void>> {
  const path = lockOf(folder, id);
  const writer = await writerOf(path);
  if (writer > 0) throw busy(id, writer, path);
  await rm(path, { force: true });
  await writeRegular(path, `${process.pid}\n`, CREATING);
  held.add(path);
  return async () => {
    held.delete(path);
    await rm(path, { force: true }).catch(() => {});
  };
}

/** Whether a run still goes on, in this process or in another one of this machine. @param folder of its record */
export async function isClaimed(folder: string, id: string): Promise<boolean> {
  return (await writerOf(lockOf(folder, id))) > 0;
}

function lockOf(folder: string, id: string): string {
  return join(folder, `${id}.lock`);
}

/** The number of the process that writes; 0 if none does. */
async function writerOf(path: string): Promise<number> {
  const writer = Number(await readRegular(path, MAX_BYTES).catch(() => ''));
  return writer > 0 && writes(writer, path) ? writer : 0;
}

/** A process that was killed may have had the number that this one has. */
function writes(pid: number, path: string): boolean {
  if (pid === process.pid) return held.has(path);
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function busy(id: string, pid: number, path: string): RecordBusyError {
  return new RecordBusyError(
    'busy',
    `The run ${id} still goes on, in process ${pid}. Wait for it or stop it. If that process is another program, delete ${path}.`,
  );
}
