import { setImmediate } from 'node:timers/promises';
import { WorkLimitError } from '../core/errors.ts';

/** Of this thread alone where Node can tell it (24 and newer). */
const usage: Pick<NodeJS.Process, 'cpuUsage'> & {
  readonly threadCpuUsage?: NodeJS.Process['cpuUsage'];
} = process;

/** Milliseconds of work so far: on a busy machine fewer than by the clock. Only differences mean something. */
export function cpuTime(): number {
  const { user, system } = usage.threadCpuUsage?.() ?? usage.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds that long work goes on before others have their turn. */
const SLICE = 10;

/** To be awaited between the steps of long work: others have their turn once it went on for long. */
export type Step = () => Promise<void>;

/** Long work that says where it may rest: wherever it yields. */
export type Work<Result> = Generator<undefined, Result>;

/**
 * Steps that hear what comes meanwhile: that nobody waits for the work any more.
 *
 * @param most milliseconds of work, in which neither the turns of others nor waits for a busy machine count
 * @returns rejects with the signal's reason once it is aborted, and with `WorkLimitError`
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

/** For work that is known to be short, and for who cannot wait. */
export function runSync<Result>(work: Work<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
