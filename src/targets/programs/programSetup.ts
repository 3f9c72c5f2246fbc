import { lstat, realpath } from 'node:fs/promises';
import { OWN_SECRETS } from '../../core/environment.ts';
import { isInside, outsideMessage } from '../../node/paths.ts';
import { TargetError, type TargetHost } from '../target.ts';

export interface ProgramVariables {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly pass_env?: readonly string[] | undefined;
}

/**
 * The environment for a target's program: this process's variables and `programVariables`, without models' keys and
 * Turnlight's own secrets, plus variables for its traces and any that it requests by name.
 *
 * @throws TargetError if a requested variable isn't set
 */
export function environmentFor(
  name: string,
  { env = {}, pass_env = [] }: ProgramVariables,
  host: Pick<TargetHost, 'keyVariables' | 'env' | 'programVariables' | 'trace'>,
): NodeJS.ProcessEnv {
  const passed = pass_env.map((requested) => {
    const value = host.env(requested);
    if (value !== undefined) return [requested, value] as const;
    const message = `${name} needs the environment variable ${requested}. Set it first.`;
    throw new TargetError('target-not-found', message);
  });
  const withheld = [...host.keyVariables, ...OWN_SECRETS];
  const inherited = Object.entries({ ...host.programVariables, ...process.env }).filter(
    ([one]) => !withheld.some((key) => isSameVariable(one, key)),
  );
  const traced = host.trace?.variables;
  return { ...Object.fromEntries(inherited), ...traced, ...Object.fromEntries(passed), ...env };
}

/** On Windows, variable names are case-insensitive. */
function isSameVariable(a: string, b: string): boolean {
  return process.platform === 'win32' ? a.toUpperCase() === b.toUpperCase() : a === b;
}

/**
 * Resolves a file or folder that a suite refers to. Follows links, so that the path that is checked is also the path
 * that is run.
 *
 * @param what how error messages refer to the path: `The \`path\` of "agent"`
 * @throws TargetError `target-not-found` if it doesn't exist, or is outside the workspace
 */
export async function programPath(
  what: string,
  path: string,
  kind: 'file' | 'folder',
  workspace: string,
): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) throw notFound(`${what} names ${path}, which does not exist.`);
  const top = await realpath(workspace);
  if (!isInside(real, top)) throw notFound(outsideMessage(what));
  const found = await lstat(real);
  if (kind === 'file' ? found.isFile() : found.isDirectory()) return real;
  throw notFound(`${what} names ${path}, which is not a ${kind}.`);
}

function notFound(message: string): TargetError {
  return new TargetError('target-not-found', message);
}
