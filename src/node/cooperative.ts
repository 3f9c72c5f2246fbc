import { setImmediate } from 'node:timers/promises';
import { WorkLimitError } from '../core/errors.ts';

/** Limited to this thread on Node 24 and newer. */
const usage: Pick<NodeJS.Process, 'cpuUsage'> & {
  readonly threadCpuUsage?: NodeJS.Process['cpuUsage'];
} = process;

/**
 * CPU time used so far, in milliseconds. On a busy machine, this is less than wall-clock time. Only differences are
 * meaningful.
 */
export function cpuTime(): number {
  const { user, system } = usage.threadCpuUsage?.() ?? usage.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of work before yielding to other tasks. */
const SLICE = 10;

/** Awaited between the steps of long work. Yields to other tasks if enough time has passed. */
export type Step = () => Promise<void>;

/** Long work that can pause at each `yield`. */
export type Work<Result> = Generator<undefined, Result>;

/**
 * @param most maximum milliseconds of CPU time, which excludes other tasks and waits on a busy machine
 * @returns a function that rejects with the signal's reason when aborted, and with `WorkLimitError` above the maximum
 */
export function stepsOf(signal?: AbortSignal, most = Number.POSITIVE_INFINITY): Step {
  let began = performance.now();
  let before = cpuTime();
  let worked = 0;
  return async () => {
    if (performance.now() - began >= SLICE) {
      worked += cpuTime() - before;
      await setImmediate();
      began = performance.now();
      before = cpuTime();
    }
    signal?.throwIfAborted();
    if (worked > most) throw new WorkLimitError(`It took longer than ${most} ms.`);
  };
}

export async function runCooperatively<Result>(work: Work<Result>, step: Step): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await step();
  }
}

/** Runs short work without pausing. */
export function runSync<Result>(work: Work<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
