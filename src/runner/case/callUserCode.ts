import { basename } from 'node:path';
import { isProgramFile } from '../../core/meaning.ts';
import type { UserCode } from '../../core/userCode.ts';
import { runProgramOnce } from '../../targets/programs/askProgram.ts';
import { openModule } from '../../targets/programs/moduleProcess.ts';
import { environmentFor, programPath } from '../../targets/programs/programSetup.ts';
import type { TargetHost } from '../../targets/target.ts';

type Host = Pick<
  TargetHost,
  'workspace' | 'timeout' | 'env' | 'programVariables' | 'keyVariables' | 'programs' | 'log'
>;

/** How messages about time limits refer to the caller. */
const CALLER = 'The script';

/** Runs a user function or program in its own process. @throws TargetError; the signal's reason when aborted */
export async function callUserCode(
  code: UserCode,
  input: unknown,
  host: Host,
  signal: AbortSignal,
): Promise<unknown> {
  const { runs, timeout = host.timeout } = code;
  const { programs, workspace } = host;
  const name = nameOf(code);
  const env = environmentFor(name, code, host);
  const onOutput = (line: string) => host.log.info(`[${name}] ${line}`);
  if (runs.kind === 'program') {
    const { command, folder } = runs;
    const cwd = await programPath(`The folder of ${name}`, folder, 'folder', workspace);
    const asking = { programs, command, cwd, env, timeout, who: CALLER, onOutput };
    return runProgramOnce(input, asking, signal);
  }
  const file = await programPath(name, runs.path, 'file', workspace);
  const module = openModule({ programs, file, env, who: CALLER, onOutput });
  try {
    return await module.call({ exported: runs.exported, input, about: {} }, timeout, signal);
  } finally {
    await module.close();
  }
}

/**
 * The name of the file that contains a function, or of a command's first program file; otherwise, the program's name.
 */
function nameOf({ runs }: UserCode): string {
  if (runs.kind === 'function') return basename(runs.path);
  const [program = ''] = runs.command;
  return basename(runs.command.find(isProgramFile) ?? program);
}
