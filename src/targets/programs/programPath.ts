import { lstat, realpath } from 'node:fs/promises';
import { isInside, outsideMessage } from '../../core/insideWorkspace.ts';
import { TargetError } from '../target.ts';

/**
 * A file or folder that a suite names, links followed: what runs is what was looked at.
 *
 * @param what as an error calls it: `The \`path\` of "agent"`
 * @throws TargetError `target-not-found` where it is not there, or not inside the workspace
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
