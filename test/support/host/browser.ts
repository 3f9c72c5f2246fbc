import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium as playwright } from 'playwright-core';
import manifest from '../../../package.json' with { type: 'json' };

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-browser'];

/** Quiet on a closed network: nothing is fetched that no page asked for. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A headless Chromium: an installed one, else the one that comes inside an npm package. */
export async function launchBrowser(): Promise<Browser> {
  const installed = INSTALLED.find((path) => existsSync(path));
  // The package's own flags are for a cloud function: one process, web security off.
  return playwright.launch({
    executablePath: installed ?? (await unpackedChromium()),
    args: FLAGS,
    headless: true,
  });
}

const PACKAGE = '@sparticuz/chromium';
const UNPACK = `import(${JSON.stringify(PACKAGE)}).then(({ default: chromium }) => chromium.executablePath())`;

/**
 * The browser of the npm package, unpacked once a machine. The package unpacks into the temporary folder, where a
 * second process would start what the first still writes: so each unpacks in a folder of its own, and the first gives
 * it its name.
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
