import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isSecretName } from '../core/scrubber.ts';
import { unreadableCause } from '../disk/unreadable.ts';
import { CACHE_VARIABLE } from '../store/answersFolder.ts';
import { UsageError } from './exitCode.ts';
import { ALLOWED_HOSTS_VARIABLE } from './hosts.ts';
import type { Shell } from './shell.ts';

const OWN = 'Set it in the environment.';

/** What such a file may not decide, as it may come with a checkout: who gets keys, whose answers count. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  [ALLOWED_HOSTS_VARIABLE]: 'Use --allow-host.',
  [CACHE_VARIABLE]: OWN,
  XDG_CACHE_HOME: OWN,
  XDG_CONFIG_HOME: OWN,
};

/**
 * Reads the variables of a file such as `.env` that the process doesn't have. Models, eval files, and targets' programs get
 * them; this process and git don't obey them. The option is not called `--env-file`, since Node takes that one for its own.
 *
 * Keys from elsewhere go to an address in it only if they are allowed to, as to one in an eval file.
 *
 * @throws UsageError
 */
export async function readDotenv(file: string, shell: Shell): Promise<void> {
  const text = await readFile(resolve(shell.folder, file), 'utf8').catch((error: unknown) => {
    throw new UsageError(`--dotenv: ${file} cannot be read: ${unreadableCause(error)}.`);
  });
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (value === undefined) continue;
    const instead = FORBIDDEN[name];
    if (instead !== undefined) {
      throw new UsageError(`--dotenv: ${file} may not set ${name}. ${instead}`);
    }
    if (isSecretName(name)) shell.scrubber.add(name, value);
    if (shell.processEnv(name) === undefined) shell.fileVariables[name] = value;
  }
  const variables = Object.keys(shell.fileVariables);
  for (const value of Object.values(shell.fileVariables)) {
    for (const host of hostsIn(value.trim())) {
      shell.hostsFromFile.push({ host, variables, isFromFile: true });
    }
  }
}

/** The hosts that a value may name as an address, with or without its scheme. */
function hostsIn(value: string): string[] {
  const addresses = [value, `https://${value}`].filter((one) => URL.canParse(one));
  return addresses.map((one) => new URL(one).host).filter((host) => host !== '');
}
