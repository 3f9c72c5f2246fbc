import { lstatSync, realpathSync } from 'node:fs';
import { visibleLine } from '../core/presentation/visibleText.ts';
import { realPathOf } from '../disk/realPath.ts';
import { isWithin } from '../store/home.ts';
import { workspaceOf } from './evalFiles.ts';
import { UsageError } from './exitCode.ts';

/**
 * Sees to it that what is written in the workspace stays there: a link may have come with a checkout.
 *
 * @param path absolute @param folder the working folder
 * @throws UsageError
 */
export function assertNoLinkOut(path: string, folder: string): void {
  const workspace = workspaceOf(folder);
  if (!isWithin(workspace, path)) return;
  const real = isLink(path) ? targetOf(path) : realPathOf(path);
  if (real !== undefined && isWithin(realPathOf(workspace), real)) return;
  throw new UsageError(
    `${visibleLine(path)} would be written through a link that leads out of ${visibleLine(workspace)}. Remove the link, or name the file that it leads to.`,
  );
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Undefined of a link to nothing. */
function targetOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
