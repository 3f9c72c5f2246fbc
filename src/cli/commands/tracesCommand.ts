import { linesOf, serviceVariables } from '../../runner/conversationTraces.ts';
import { traceSecretFile } from '../../store/traceToken.ts';
import { EXIT, type ExitCode } from '../exitCode.ts';
import { workspaceOf } from '../paths.ts';
import type { Shell } from '../shell.ts';

/** Prints lines such as `NAME=value`, for use in a `.env` file. */
export async function traces(
  { tracesPort }: { readonly tracesPort: number },
  { processEnv, out, folder }: Shell,
): Promise<ExitCode> {
  const secretFile = traceSecretFile(processEnv);
  out.write(linesOf(await serviceVariables(secretFile, workspaceOf(folder), tracesPort)));
  return EXIT.passed;
}
