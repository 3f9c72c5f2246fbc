import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let all: string | undefined;

/** Creates an empty cache folder, so tests don't use the user's cache. It is deleted when this process ends. */
export function emptyCache(): string {
  all ??= folderOfProcess();
  return mkdtempSync(join(all, 'cache-'));
}

/** Adds variables that give a Turnlight process its own cache and settings instead of the user's. */
export function ownFolders<Env extends NodeJS.ProcessEnv>(env: Env) {
  const folder = emptyCache();
  return { ...env, XDG_CONFIG_HOME: join(folder, 'config'), TURNLIGHT_CACHE_DIR: folder };
}

function folderOfProcess(): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnlight-answers-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
