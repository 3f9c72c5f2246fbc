import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import * as z from 'zod';
import type { AllowedHost } from '../core/environment.ts';
import { ReasonedError } from '../core/errors.ts';
import { toUnwritableError } from '../disk/fileErrors.ts';
import { isCommittable } from './dataFolder.ts';

/** Variable names by host; `*` means any variable. */
const fileSchema = z.record(z.string(), z.array(z.string()));

const ANY = '*';

/** Thrown if the allowed hosts can't be read or written. `message` names the file. */
export class AllowedHostsError extends ReasonedError<'unreadable' | 'in-workspace'> {
  override readonly name = 'AllowedHostsError';
}

/** A folder from the environment. The XDG specification says to ignore relative ones, which may be in a workspace. */
export function absoluteOr(folder: string | undefined, usual: string): string {
  return folder && isAbsolute(folder) ? folder : usual;
}

/** The user's file, outside of any workspace: files in a workspace must not decide who gets keys. */
export function allowedHostsFile(env: (name: string) => string | undefined): string {
  const config =
    process.platform === 'win32'
      ? (env('APPDATA') ?? join(homedir(), 'AppData', 'Roaming'))
      : absoluteOr(env('XDG_CONFIG_HOME'), join(homedir(), '.config'));
  return join(config, 'turnlight', 'allowed-hosts.json');
}

/** @param workspaces folders whose commits must not change the file @throws AllowedHostsError */
export async function readAllowedHosts(
  file: string,
  workspaces: readonly string[],
): Promise<AllowedHost[]> {
  const hosts = await read(file);
  if (Object.keys(hosts).length > 0 && isCommittable(file, workspaces)) {
    const message = `The list of allowed hosts, ${file}, is in the workspace, where anyone who commits a file could allow hosts. Set XDG_CONFIG_HOME to a folder outside the workspace.`;
    throw new AllowedHostsError('in-workspace', message);
  }
  return Object.entries(hosts).map(([host, variables]) =>
    variables.includes(ANY) ? { host } : { host, variables },
  );
}

/** @throws AllowedHostsError, UnwritableError */
export async function allowHosts(file: string, added: readonly AllowedHost[]): Promise<void> {
  const hosts = await read(file);
  for (const { host, variables = [ANY] } of added) {
    hosts[host] = [...new Set([...(hosts[host] ?? []), ...variables])];
  }
  const temporary = `${file}.${process.pid}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(temporary, `${JSON.stringify(hosts, null, 2)}\n`, { mode: 0o600 });
    await rename(temporary, file);
  } catch (error) {
    throw toUnwritableError('The list of allowed hosts', file, error);
  }
}

async function read(file: string): Promise<z.infer<typeof fileSchema>> {
  try {
    return fileSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    const message = `The list of allowed hosts, ${file}, can't be read: ${why}. Fix or delete it.`;
    throw new AllowedHostsError('unreadable', message);
  }
}

/** Parses `HOST` and `HOST=VAR,VAR`, separated by whitespace. @returns undefined if a part is invalid */
export function parseAllowedHosts(text: string): AllowedHost[] | undefined {
  const found = text.split(/\s+/).flatMap((one) => {
    const [host = '', names] = one.split('=', 2);
    return one === '' ? [] : [{ host: host.toLowerCase(), names }];
  });
  if (found.some(({ host, names }) => !isHost(host) || names === '')) return undefined;
  return found.map(({ host, names }) => ({ host, ...(names && { variables: names.split(',') }) }));
}

function isHost(host: string): boolean {
  const url = `https://${host}`;
  return /^[a-z0-9.:[\]-]+$/.test(host) && URL.canParse(url) && new URL(url).host === host;
}
