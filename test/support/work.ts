import assert from 'node:assert/strict';
import { cpuTime } from '../../src/node/cooperative.ts';

/** CPU time of the work, in milliseconds, at least 1: less is mostly noise. */
async function timeOf(work: () => unknown): Promise<number> {
  const before = cpuTime();
  await work();
  return Math.max(1, cpuTime() - before);
}

/** Typical work of JavaScript: objects, text, JSON, sorting, and numbers. It takes about 10 ms. */
function unit(): number {
  const cases = Array.from({ length: 4_000 }, (_, index) => ({ id: `${(index * 7_919) % 4_000}` }));
  const text = JSON.stringify(cases.sort((a, b) => (a.id < b.id ? -1 : 1)));
  const ids = new Set(JSON.parse(text).map(({ id }: { id: string }) => id));
  let hash = ids.size;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash, 31) + text.charCodeAt(at);
  return hash;
}

/**
 * CPU time that a fixed amount of work takes now, in milliseconds. Limits are multiples of it, because a machine can be
 * several times slower than another one.
 */
export async function timeOfUnit(): Promise<number> {
  return Math.min(await timeOf(unit), await timeOf(unit), await timeOf(unit));
}

/** Asserts that the work takes at most that many units of CPU time in the fastest of three tries. */
export async function assertWork(maxUnits: number, work: () => unknown): Promise<void> {
  const tries: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    const once = await timeOfUnit();
    const units = (await timeOf(work)) / once;
    if (units <= maxUnits) return;
    tries.push(Math.round(units));
  }
  assert.fail(`It took ${tries.join(', ')} units of work, more than ${maxUnits}.`);
}

export const ROUNDS = 9;

/** Ratio of the second function's work to the first one's: the median of nine rounds. */
export async function timesAsMuch(
  first: (round: number) => unknown,
  second: (round: number) => unknown,
): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const once = await timeOf(() => first(round));
    ratios.push((await timeOf(() => second(round))) / once);
  }
  return ratios.sort((a, b) => a - b)[(ROUNDS - 1) / 2] ?? Number.NaN;
}

/** How many times as much work it takes for four times the size: 4 for linear work, 16 for quadratic work. */
export async function growth(work: (size: number) => unknown, size: number): Promise<number> {
  await work(size);
  const ratios: number[] = [];
  // Other work on the machine can make single rounds seem quadratic.
  for (let round = 0; round < 5 && !ratios.some((one) => one < 7); round += 1) {
    const four = await timeOf(() => work(4 * size));
    ratios.push(four / (await timeOf(() => work(size))));
  }
  return Math.min(...ratios);
}
