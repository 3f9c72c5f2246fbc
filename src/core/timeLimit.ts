import { createContext, runInContext } from 'node:vm';
import { mappingOf } from './data.ts';

/** What takes longer than anybody may wait for it. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

const context = createContext({ work: undefined });

/** How often work is begun that the machine gives no time to; on a busy one it may never get any. */
const TRIES = 3;

/**
 * Runs what nothing else can interrupt, such as a schema that refers to itself over hostile data.
 *
 * @param limit milliseconds; work that the machine gave no time to is begun anew, a few times at most
 * @throws TookTooLong
 */
export function withinTime<Result>(limit: number, work: () => Result, tries = TRIES): Result {
  const before = process.cpuUsage();
  try {
    context.work = work;
    return runInContext('work()', context, { timeout: limit });
  } catch (error) {
    // Not always an Error of this realm.
    if (mappingOf(error).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    const { user, system } = process.cpuUsage(before);
    const starved = user + system < (limit * 1000) / 2;
    if (starved && tries > 1) return withinTime(limit, work, tries - 1);
    throw new TookTooLong(`It took longer than ${limit} ms.`);
  } finally {
    context.work = undefined;
  }
}
