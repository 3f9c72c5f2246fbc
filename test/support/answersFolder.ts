import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let all: string | undefined;

/** A folder for answers of models, empty, gone when this process ends. The user's own is not for tests. */
export function emptyCache(): string {
  all ??= folderOfProcess();
  return mkdtempSync(join(all, 'cache-'));
}

/**
 * Variables for a Turnlight that a test starts: those given, and folders of its own where the user's
 * cache and allowed hosts would be.
 */
export function ownFolders<Env extends NodeJS.ProcessEnv>(env: Env) {
  const folder = emptyCache();
  return { ...env, XDG_CONFIG_HOME: join(folder, 'config'), TURNLIGHT_CACHE_DIR: folder };
}

function folderOfProcess(): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnlight-answers-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
