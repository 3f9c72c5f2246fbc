import { after } from 'node:test';
import type { Browser, BrowserContext } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { type Host, startHost } from './server.ts';

/** A VS Code server, and a browser profile that caches its files. */
export interface SharedHost {
  readonly host: Host;
  readonly context: BrowserContext;
}

/**
 * Servers shared by the tests of a process: one for trusted folders, and one for Restricted Mode. They share a browser.
 */
const hosts = new Map<boolean, Promise<SharedHost>>();
let browser: Promise<Browser> | undefined;

/** @param trusted false opens folders in Restricted Mode */
export function sharedHost(trusted: boolean): Promise<SharedHost> {
  const host = hosts.get(trusted) ?? start(trusted);
  hosts.set(trusted, host);
  return host;
}

async function start(trusted: boolean): Promise<SharedHost> {
  browser ??= launchBrowser();
  const viewport = { width: 1400, height: 900 };
  const [host, context] = await Promise.all([
    startHost(trusted),
    browser.then((launched) => launched.newContext({ viewport, reducedMotion: 'reduce' })),
  ]);
  return { host, context };
}

after(async () => {
  await (await browser)?.close();
  for (const shared of hosts.values()) await (await shared).host.stop();
});
