/**
 * Milliseconds that this process has worked so far. What else the machine does is not in them, so that
 * a limit holds on a busy one too.
 */
export function worked(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export const ROUNDS = 9;

/** How many times as much work the second is as the first: the median of nine rounds of both. */
export function timesAsMuch(
  first: (round: number) => void,
  second: (round: number) => void,
): number {
  const took = (work: (round: number) => void, round: number) => {
    const before = worked();
    work(round);
    // Less than a millisecond is mostly chance.
    return Math.max(1, worked() - before);
  };
  const ratios = Array.from({ length: ROUNDS }, (_, round) => {
    const once = took(first, round);
    return took(second, round) / once;
  });
  return ratios.sort((a, b) => a - b)[(ROUNDS - 1) / 2] ?? Number.NaN;
}

/** How many times as much work four times the size is: 4 where it grows with the size, 16 where with its square. */
export async function growth(work: (size: number) => Promise<unknown>, size: number) {
  const took = async (one: number) => {
    const before = worked();
    await work(one);
    return Math.max(1, worked() - before);
  };
  await work(size);
  const ratios = [
    (await took(4 * size)) / (await took(size)),
    (await took(4 * size)) / (await took(size)),
  ];
  // What else the process does makes single rounds worse.
  return Math.min(...ratios);
}
