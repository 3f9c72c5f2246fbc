import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * An absolute path with its links followed; the part of it that doesn't exist stays as it is. Asked of every path in a file with each of
 * its checks, and with each hover: a promise would take longer than the look itself.
 */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPathOf(folder), basename(path));
  }
}
