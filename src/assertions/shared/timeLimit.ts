import { createContext, runInContext } from 'node:vm';
import { mappingOf } from '../../core/data/data.ts';
import { TookTooLong } from '../../core/errors.ts';

const context = createContext({ work: undefined });

/** How often work is begun that the machine gives no time to; each time it may wait twice as long. */
const TRIES = 4;

/** Of this thread alone where Node can tell it (24 and newer). */
export const { threadCpuUsage: cpuUsage = process.cpuUsage } = process as typeof process & {
  readonly threadCpuUsage?: typeof process.cpuUsage;
};

/**
 * Runs what nothing else can interrupt, such as a schema that refers to itself over hostile data.
 *
 * @param limit milliseconds of work; on a busy machine it may take longer by the clock
 * @throws TookTooLong
 */
export function withinTime<Result>(limit: number, work: () => Result): Result {
  for (let tries = 1, timeout = limit; ; tries += 1, timeout *= 2) {
    const before = cpuUsage();
    try {
      context.work = work;
      return runInContext('work()', context, { timeout });
    } catch (error) {
      // Not always an Error of this realm.
      if (mappingOf(error).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const { user, system } = cpuUsage(before);
      const starved = user + system < limit * 500;
      if (!starved || tries === TRIES) throw new TookTooLong(`It took longer than ${limit} ms.`);
    } finally {
      context.work = undefined;
    }
  }
}
