import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { removeLeftovers } from '../../../scripts/build/publish.ts';
import { CACHE, CHECKOUT, installHost } from './install.ts';

export const VSIX = join(CHECKOUT, 'turnlight.vsix');

const COMPANION = {
  name: 'turnlight-test-companion',
  publisher: 'turnlight-test',
  version: '1.0.0',
  engines: { vscode: '^1.104.0' },
  main: './extension.js',
  activationEvents: ['*'],
  enabledApiProposals: ['chatProvider'],
  contributes: {
    languageModelChatProviders: [{ vendor: 'turnlight-test', displayName: 'Test models' }],
  },
  // It uses file paths, so it must run where the files are.
  extensionKind: ['workspace'],
  capabilities: { untrustedWorkspaces: { supported: true } },
};

/**
 * Returns a folder with the packaged extension and the tests' companion, installed by VS Code itself. If they are
 * already installed, the folder is reused.
 */
export async function installExtensions(): Promise<string> {
  const files = await companionFiles();
  const hash = createHash('sha256')
    .update(await readFile(VSIX))
    .update(JSON.stringify(files))
    .digest('hex');
  const home = join(CACHE, 'extensions', hash.slice(0, 16));
  if (existsSync(home)) return home;
  const all = join(CACHE, 'extensions');
  await mkdir(all, { recursive: true });
  await removeLeftovers(all, { built: new Set(), inUse: /./, began: Date.now() });
  const building = await mkdtemp(join(all, 'new-'));
  try {
    const companion = await packCompanion(files, building);
    const extensions = join(building, 'extensions');
    const installs = [VSIX, companion].flatMap((vsix) => ['--install-extension', vsix]);
    const dirs = ['--user-data-dir', join(building, 'user'), '--extensions-dir', extensions];
    await promisify(execFile)(process.execPath, [
      await installHost(console.error),
      ...dirs,
      ...installs,
    ]);
    // If another process was faster, its folder is just as good.
    await rename(extensions, home).catch((error: unknown) => {
      if (!existsSync(home)) throw error;
    });
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return home;
}

/** Contents by file name. */
type Files = Readonly<Record<string, string>>;

async function companionFiles(): Promise<Files> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'companion/extension.ts')],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    external: ['vscode'],
    write: false,
  });
  return { 'package.json': JSON.stringify(COMPANION), 'extension.js': outputFiles[0]?.text ?? '' };
}

async function packCompanion(files: Files, folder: string): Promise<string> {
  const source = join(folder, 'companion');
  await mkdir(source);
  for (const [name, text] of Object.entries(files)) await writeFile(join(source, name), text);
  const packagePath = join(folder, 'companion.vsix');
  const flags = ['--no-dependencies', '--allow-missing-repository', '--skip-license'];
  await promisify(execFile)(
    join(CHECKOUT, 'node_modules/.bin/vsce'),
    ['package', ...flags, '--allow-star-activation', '--out', packagePath],
    { cwd: source },
  );
  return packagePath;
}

// Runs before the test processes, which would otherwise all install at once.
if (process.argv[1] === import.meta.filename) await installExtensions();
