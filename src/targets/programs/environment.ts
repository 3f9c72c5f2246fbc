import { TargetError, type TargetHost } from '../target.ts';

export interface Wanted {
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Names of variables. */
  readonly pass_env?: readonly string[] | undefined;
}

/**
 * What a target's program inherits: our environment and `programVariables` without the keys of models, but for those that
 * it asks for by name.
 *
 * @throws TargetError where one of these is not set
 */
export function environmentFor(
  name: string,
  { env = {}, pass_env = [] }: Wanted,
  {
    keyVariables,
    env: variable,
    programVariables,
  }: Pick<TargetHost, 'keyVariables' | 'env' | 'programVariables'>,
): NodeJS.ProcessEnv {
  const passed = pass_env.map((asked) => {
    const value = variable(asked);
    if (value !== undefined) return [asked, value] as const;
    const message = `${name} needs the environment variable ${asked}. Set it first.`;
    throw new TargetError('target-not-found', message);
  });
  const kept = Object.entries({ ...programVariables, ...process.env }).filter(
    ([one]) => !keyVariables.some((key) => isSame(one, key)),
  );
  return { ...Object.fromEntries(kept), ...Object.fromEntries(passed), ...env };
}

/** Windows knows one variable by any case of its letters. */
function isSame(a: string, b: string): boolean {
  return process.platform === 'win32' ? a.toUpperCase() === b.toUpperCase() : a === b;
}
