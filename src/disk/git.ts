import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Milliseconds. If one of git's files is replaced by a pipe, git would wait forever. */
const MAX_WAIT = 5_000;

/** Trimmed output of git in a folder; undefined if it fails, takes too long, or isn't installed. */
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
