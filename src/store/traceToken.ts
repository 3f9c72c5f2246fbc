import { createHmac, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorText } from '../core/errors.ts';
import { allowedHostsFile } from './allowedHosts.ts';
import { isCommittable } from './dataFolder.ts';

const SECRET = /^[0-9a-f]{64}$/;

/** The file, outside of any workspace, that the user's tokens are derived from. */
export function traceSecretFile(env: (name: string) => string | undefined): string {
  return join(dirname(allowedHostsFile(env)), 'trace-secret');
}

/** The token that services use to send spans to runs in a workspace. It is always the same. @throws Error */
export async function traceToken(secretFile: string, workspace: string): Promise<string> {
  if (isCommittable(secretFile, [workspace])) {
    throw new Error(
      `The secret for traces, ${secretFile}, would be in the workspace, where others may read or change it. Set XDG_CONFIG_HOME to a folder outside the workspace.`,
    );
  }
  const secret = (await readSecret(secretFile)) ?? (await createSecret(secretFile));
  return createHmac('sha256', secret).update(workspace).digest('hex').slice(0, 32);
}

async function readSecret(file: string): Promise<string | undefined> {
  try {
    const secret = await readFile(file, 'utf8');
    if (SECRET.test(secret)) return secret;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`The secret for traces can't be read: ${errorText(error)}.`);
  }
  throw new Error(`The secret for traces, ${file}, is damaged. Delete it.`);
}

async function createSecret(file: string): Promise<string> {
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(temporary, randomBytes(32).toString('hex'), { mode: 0o600 });
    // Unlike a rename, creating a link fails if another process was faster.
    await link(temporary, file).catch(() => {});
    const secret = await readSecret(file);
    if (secret !== undefined) return secret;
    throw new Error(`The secret for traces can't be written to ${file}.`);
  } finally {
    await rm(temporary, { force: true });
  }
}
