import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ReasonedError } from '../../core/errors.ts';
import { CREATE, readRegular, writeRegular } from '../../disk/regularFile.ts';
import { runIdOf } from './files.ts';

/** Another run writes the record. `message` says which process, and what to do. */
export class RecordBusyError extends ReasonedError<'busy'> {
  override readonly name = 'RecordBusyError';
}

/** Bytes of a process id. */
const MAX_BYTES = 32;

/** The locks of this process. */
const held = new Set<string>();

/**
 * Locks a run's record for one writer, by a file next to it that names the process. A lock that a killed
 * process left doesn't count.
 *
 * @param folder of the record
 * @param id of the run
 * @returns what releases the lock
 * @throws RecordBusyError, or a system error
 */
export async function lockRecord(folder: string, id: string): Promise<() => Promise<void>> {
  const path = lockOf(folder, id);
  const writer = await writerOf(path);
  if (writer > 0) throw busy(id, writer, path);
  await rm(path, { force: true });
  await writeRegular(path, `${process.pid}\n`, CREATE);
  held.add(path);
  return async () => {
    held.delete(path);
    await rm(path, { force: true }).catch(() => {});
  };
}

/** Whether a run is writing its record, in this process or in another one of this machine. @param record absolute */
export async function isLocked(record: string): Promise<boolean> {
  return (await writerOf(lockOf(dirname(record), runIdOf(record)))) > 0;
}

function lockOf(folder: string, id: string): string {
  return join(folder, `${id}.lock`);
}

/** The id of the process that writes; 0 if none does. */
async function writerOf(path: string): Promise<number> {
  const writer = Number(await readRegular(path, MAX_BYTES).catch(() => ''));
  return writer > 0 && writes(writer, path) ? writer : 0;
}

/** A process that was killed may have had the id that this one has. */
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
