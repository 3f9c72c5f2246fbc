import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Milliseconds that git may take: a pipe in the place of one of its files would hold it forever. */
const MAX_WAIT = 5_000;

/** What git prints in a folder, trimmed; undefined if it fails, takes too long, or isn't installed. */
export async function gitOutput(
  args: readonly string[],
  folder: string,
): Promise<string | undefined> {
  try {
    const options = { cwd: folder, timeout: MAX_WAIT, killSignal: 'SIGKILL' } as const;
    const { stdout } = await promisify(execFile)('git', [...args], options);
    return stdout.trim();
  } catch {
    return undefined;
  }
}
