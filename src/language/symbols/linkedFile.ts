import { dirname } from 'node:path';
import { resolveReference } from '../../evalfile/resolveReference.ts';
import type { LanguagePorts } from '../ports.ts';

/**
 * The file that a path in another means, be it there or not yet; undefined if something else is
 * there, or if it leaves the workspace, also by a link.
 */
export async function linkedFile(
  reference: string,
  from: string,
  { files, workspaceOf }: Pick<LanguagePorts, 'files' | 'workspaceOf'>,
): Promise<{ readonly path: string; readonly exists: boolean } | undefined> {
  if (/[/\\]$/.test(reference)) return undefined;
  const found = await resolveReference(reference, dirname(from), workspaceOf(from), files);
  if (found.kind !== 'file' && found.kind !== 'missing') return undefined;
  return { path: found.path, exists: found.kind === 'file' };
}
