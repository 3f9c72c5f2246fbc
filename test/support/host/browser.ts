import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium as playwright } from 'playwright-core';
import manifest from '../../../package.json' with { type: 'json' };

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-browser'];

/** Flags that keep the browser quiet on a closed network. It fetches only what a page requests. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a headless Chromium: an installed one, or the one inside an npm package. */
export async function launchBrowser(): Promise<Browser> {
  const installed = INSTALLED.find((path) => existsSync(path));
  // Doesn't use the package's own flags, which are for cloud functions: a single process without web security.
  return playwright.launch({
    executablePath: installed ?? (await unpackedChromium()),
    args: FLAGS,
    headless: true,
  });
}

const PACKAGE = '@sparticuz/chromium';
const UNPACK = `import(${JSON.stringify(PACKAGE)}).then(({ default: chromium }) => chromium.executablePath())`;

/**
 * Unpacks the npm package's browser once per machine. The package unpacks into the temporary folder, where a second
 * process could start a browser that the first is still writing. So each process unpacks into its own folder, and the
 * first one to finish renames its folder to the final name.
 */
async function unpackedChromium(): Promise<string> {
  const version = manifest.devDependencies[PACKAGE];
  const folder = join(tmpdir(), `turnlight-chromium-${version}`);
  if (!existsSync(folder)) {
    const own = await mkdtemp(`${folder}-`);
    await promisify(execFile)(process.execPath, ['--eval', UNPACK], {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: own },
    });
    await rename(own, folder).catch((error) => {
      if (!existsSync(folder)) throw error;
      return rm(own, { recursive: true });
    });
  }
  return join(folder, 'chromium');
}
