import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { VARIABLE_NAME } from '../core/environment.ts';
import { LIMITS, readable } from '../core/limits.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { FileError } from '../evalfile/files.ts';
import { nodeFiles } from '../evalfile/nodeFiles.ts';
import { CACHE_VARIABLE } from '../store/answers.ts';
import { isWithin } from '../store/dataFolder.ts';
import { UsageError } from './exitCode.ts';
import { ALLOWED_HOSTS_VARIABLE } from './hosts.ts';
import { workspaceOf } from './paths.ts';
import type { Shell } from './shell.ts';

const IN_ENVIRONMENT = 'Set it in the environment.';

/**
 * Variables that aren't allowed in a file that may come with a checkout: they decide who gets keys and whose answers
 * count.
 */
const FORBIDDEN: ReadonlyMap<string, string> = new Map([
  [ALLOWED_HOSTS_VARIABLE, 'Use --allow-host.'],
  [CACHE_VARIABLE, IN_ENVIRONMENT],
  ['XDG_CACHE_HOME', IN_ENVIRONMENT],
  ['XDG_CONFIG_HOME', IN_ENVIRONMENT],
]);

/**
 * Reads variables that the process lacks from a file such as `.env`, for models, eval files, and targets' programs.
 * Unless the user allows a host in the file, it gets only the file's own variables.
 *
 * @throws UsageError
 */
export async function readDotenv(file: string, shell: Shell): Promise<void> {
  const path = resolve(shell.folder, file);
  // The user may pass a pipe, such as <(command). A pipe that comes with a checkout could block forever.
  const own = isWithin(workspaceOf(shell.folder), path) ? [] : [path];
  const read = nodeFiles(new Set(own)).read(path, LIMITS.dotenv);
  const text = await read.catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error;
    throw new UsageError(`--dotenv: can't read ${file}. ${error.message}`);
  });
  const variables = Object.entries(parseEnv(text));
  const invalid = variables.find(([name]) => !VARIABLE_NAME.test(name));
  if (invalid) {
    const line = lineOf(invalid[0], text);
    throw new UsageError(
      `--dotenv: ${file}:${line}: "${visibleLine(invalid[0], 60)}" is not a valid variable name. Use letters, digits, and _.`,
    );
  }
  if (variables.length > LIMITS.dotenvVariables) {
    throw new UsageError(
      `--dotenv: ${file} sets more than ${readable(LIMITS.dotenvVariables)} variables.`,
    );
  }
  for (const [name, value] of variables) {
    if (value === undefined) continue;
    const instead = FORBIDDEN.get(name);
    if (instead !== undefined) {
      throw new UsageError(`--dotenv: ${file} may not set ${name}. ${instead}`);
    }
    shell.scrubber.addSecretsOf({ [name]: value });
    if (shell.processEnv(name) === undefined) shell.fileVariables[name] = value;
  }
  const names = Object.keys(shell.fileVariables);
  for (const value of Object.values(shell.fileVariables)) {
    for (const host of hostsIn(value.trim())) {
      shell.hostsFromFile.push({ host, variables: names, isFromFile: true });
    }
  }
}

/** Number of the line that sets a variable, from 1. */
function lineOf(name: string, text: string): number {
  const names = text.split('\n').map((line) => line.replace(/=.*/, '').trim());
  return names.findIndex((one) => one.replace(/^export\s+/, '') === name) + 1;
}

/** The hosts in a value that may be an address, with or without a scheme. */
function hostsIn(value: string): string[] {
  const addresses = [value, `https://${value}`].filter((one) => URL.canParse(one));
  return addresses.map((one) => new URL(one).host).filter((host) => host !== '');
}
