import { createContext, runInContext } from 'node:vm';
import { cpuTime } from '../../core/cpuTime.ts';
import { mappingOf } from '../../core/data/data.ts';
import { TookTooLong } from '../../core/errors.ts';

const context = createContext({ work: undefined });

/** How often work is begun that the machine gives no time to; each time it may wait twice as long. */
const TRIES = 4;

/**
 * Runs what nothing else can interrupt, such as a schema that refers to itself over hostile data.
 *
 * @param limit milliseconds of work; on a busy machine it may take longer by the clock
 * @throws TookTooLong
 */
export function withinTime<Result>(limit: number, work: () => Result): Result {
  for (let tries = 1, timeout = limit; ; tries += 1, timeout *= 2) {
    const before = cpuTime();
    try {
      context.work = work;
      return runInContext('work()', context, { timeout });
    } catch (error) {
      // Not always an Error of this realm.
      if (mappingOf(error).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const starved = cpuTime() - before < limit / 2;
      if (!starved || tries === TRIES) throw new TookTooLong(`It took longer than ${limit} ms.`);
    } finally {
      context.work = undefined;
    }
  }
}
