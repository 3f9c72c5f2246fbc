import { dirname } from 'node:path';
import { resolveReference } from '../../evalfile/resolveReference.ts';
import type { LanguagePorts } from '../ports.ts';

/**
 * The file that a path in another means, be it there or not yet; undefined if it leaves the
 * workspace, also by a link.
 */
export async function linkedFile(
  reference: string,
  from: string,
  { files, workspaceOf }: Pick<LanguagePorts, 'files' | 'workspaceOf'>,
): Promise<{ readonly path: string; readonly exists: boolean } | undefined> {
  if (/[/\\]$/.test(reference)) return undefined;
  const found = await resolveReference(reference, dirname(from), workspaceOf(from), files);
  return 'path' in found ? { path: found.path, exists: found.kind === 'found' } : undefined;
}
