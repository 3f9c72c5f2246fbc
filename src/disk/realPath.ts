import { realpathSync } from 'node:fs';

/**
 * A path with its links followed; as it is where nothing is there. Asked of every path in a file with each of
 * its checks, and with each hover: a promise would take longer than the look itself.
 */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
