import { devNull } from 'node:os';
import { systemProgramOutput } from './systemProgram.ts';

/** Maximum milliseconds to wait: git would wait forever if one of its files were a pipe. */
const MAX_WAIT = 5_000;

/**
 * A repository's own settings can name programs to run, and a folder in a checkout can pretend to be a bare repository.
 */
const OVERRIDES = [
  'safe.bareRepository=explicit',
  'core.fsmonitor=false',
  `core.hooksPath=${devNull}`,
  'core.sshCommand=false',
  'core.gitProxy=',
  'credential.helper=',
];

const ARGS = ['--no-pager', ...OVERRIDES.flatMap((one) => ['-c', one])];

/**
 * Stops git from fetching missing objects from the repository's remote, which uses programs named in the repository's
 * settings.
 */
const ENVIRONMENT = {
  GIT_NO_LAZY_FETCH: '1',
  // For versions before 2.45, which don't support the variable above. No protocol has this name.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
};

/** Git's output in a folder, trimmed; undefined if git fails, takes too long, or isn't installed. */
export async function gitOutput(
  args: readonly string[],
  folder: string,
): Promise<string | undefined> {
  try {
    const output = await systemProgramOutput('git', [...ARGS, ...args], {
      cwd: folder,
      env: { ...process.env, ...ENVIRONMENT },
      timeout: MAX_WAIT,
      killSignal: 'SIGKILL',
    });
    return output.trim();
  } catch {
    return undefined;
  }
}
