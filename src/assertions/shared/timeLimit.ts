import { createContext, runInContext } from 'node:vm';
import { mappingOf } from '../../core/data/data.ts';
import { WorkLimitError } from '../../core/errors.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import { cpuTime } from '../../node/cooperative.ts';

const context = createContext({ work: undefined });

/** Maximum number of attempts if the machine is busy. Each may take twice as long as the previous one. */
const MAX_ATTEMPTS = 4;

/**
 * Runs work that nothing else can interrupt, such as validation against a recursive schema.
 *
 * @param limit milliseconds of CPU time; on a busy machine, it can take longer
 * @throws WorkLimitError
 */
export function withTimeLimit<Result>(limit: number, work: () => Result): Result {
  for (let tries = 1, timeout = limit; ; tries += 1, timeout *= 2) {
    const before = cpuTime();
    try {
      context.work = work;
      return runInContext('work()', context, { timeout });
    } catch (error) {
      // The error may come from another realm, so `instanceof Error` can be false.
      if (mappingOf(error).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const starved = cpuTime() - before < limit / 2;
      if (!starved || tries === MAX_ATTEMPTS) {
        throw new WorkLimitError(`It took longer than ${limit} ms.`);
      }
    } finally {
      context.work = undefined;
    }
  }
}

/**
 * Work with fewer steps is quick enough to run without a limit. Setting a time limit costs about as much as 10,000
 * steps.
 */
const FEW_STEPS = 100_000;

/**
 * Limits the time of a check.
 *
 * @param advice how to make the check shorter
 * @returns a function that runs one part of the check. Its number of steps is a rough estimate, such as the text's
 * length × the pattern's length.
 * @throws Error if all parts together take too long
 */
export function limitWork(advice: string) {
  let left: number = LIMITS.work;
  return <Result>(steps: number, work: () => Result): Result => {
    const before = cpuTime();
    try {
      if (left > 0) return steps < FEW_STEPS ? work() : withTimeLimit(Math.ceil(left), work);
    } catch (error) {
      if (!(error instanceof WorkLimitError)) throw error;
    } finally {
      left -= cpuTime() - before;
    }
    throw new Error(`The check takes longer than ${readable(LIMITS.work)} ms. ${advice}`);
  };
}
