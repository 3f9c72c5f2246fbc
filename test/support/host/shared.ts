import { after } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { type Host, startHost } from './server.ts';

/** What the tests of one process share: a VS Code for each kind of trust, and a browser. */
const hosts = new Map<boolean, Promise<Host>>();
let browser: Promise<Browser> | undefined;

/** @param trusted false opens folders in Restricted Mode */
export function sharedHost(trusted: boolean): Promise<Host> {
  const host = hosts.get(trusted) ?? startHost(trusted);
  hosts.set(trusted, host);
  return host;
}

export function sharedBrowser(): Promise<Browser> {
  browser ??= launchBrowser();
  return browser;
}

after(async () => {
  await (await browser)?.close();
  for (const host of hosts.values()) await (await host).stop();
});
