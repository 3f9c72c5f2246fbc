import { createContext, runInContext } from 'node:vm';
import { mappingOf } from './data.ts';

/** What takes longer than anybody may wait for it. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

const context = createContext({ work: undefined });

/**
 * Runs what nothing else can interrupt, such as a schema that refers to itself over hostile data.
 *
 * @param limit milliseconds; time in which the machine did something else does not count
 * @throws TookTooLong
 */
export function withinTime<Result>(limit: number, work: () => Result): Result {
  const before = process.cpuUsage();
  try {
    context.work = work;
    return runInContext('work()', context, { timeout: limit });
  } catch (error) {
    // Not always an Error of this realm.
    if (mappingOf(error).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    const { user, system } = process.cpuUsage(before);
    if (user + system < (limit * 1000) / 2) return withinTime(limit, work);
    throw new TookTooLong(`It took longer than ${limit} ms.`);
  } finally {
    context.work = undefined;
  }
}
