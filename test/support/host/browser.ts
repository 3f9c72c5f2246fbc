import { existsSync } from 'node:fs';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

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
    executablePath: installed ?? (await chromium.executablePath()),
    args: FLAGS,
    headless: true,
  });
}
