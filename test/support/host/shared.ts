import { after } from 'node:test';
import type { Browser, BrowserContext } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { type Host, startHost } from './server.ts';

/** A VS Code, and a browser profile that keeps what it has loaded of it. */
export interface SharedHost {
  readonly host: Host;
  readonly context: BrowserContext;
}

/** What the tests of one process share: the browser, and a VS Code for each kind of trust. */
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
