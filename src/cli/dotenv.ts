import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isSecretName } from '../core/scrubber.ts';
import { unreadableCause } from '../disk/unreadable.ts';
import { UsageError } from './exitCode.ts';
import { ALLOWED_HOSTS_VARIABLE } from './hosts.ts';
import type { Shell } from './shell.ts';

/**
 * Sets the variables of a file such as `.env`, as far as they are not set. Which hosts may have keys is
 * not read from it: such a file may come with a checkout. The option is not called `--env-file`, since
 * Node takes that one for its own, wherever it stands.
 *
 * @throws UsageError
 */
export async function readDotenv(file: string, shell: Shell): Promise<void> {
  const text = await readFile(resolve(shell.folder, file), 'utf8').catch((error: unknown) => {
    throw new UsageError(`--dotenv: ${file} cannot be read: ${unreadableCause(error)}.`);
  });
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (value === undefined) continue;
    if (name === ALLOWED_HOSTS_VARIABLE) {
      throw new UsageError(`--dotenv: ${file} may not set ${name}. Use --allow-host.`);
    }
    if (isSecretName(name)) shell.scrubber.add(name, value);
    if (shell.env(name) === undefined) shell.setEnv(name, value);
  }
}
