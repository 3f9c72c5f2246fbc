import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { viewHtml } from '../../../src/extension/viewer/html.ts';
import type { FromView, ToView } from '../../../src/protocol/viewProtocol.ts';
import { CHECKOUT } from '../host/install.ts';

export interface ViewPage {
  readonly page: Page;
  send(message: ToView): Promise<void>;
  /** Waits until an expression is true in the page, whose policy lets no such expression wait in it. */
  until(expression: string): Promise<void>;
  /** What the view posted, in order. */
  posted(): Promise<FromView[]>;
  /** Violations of the page's policy. */
  violations(): Promise<string[]>;
  /** Addresses that the page asked for beside its own files. */
  readonly strangers: readonly string[];
  close(): Promise<void>;
}

const FILES: Readonly<Record<string, string>> = {
  '/webview.js': 'text/javascript',
  '/webview.css': 'text/css',
};

/** Stands in for the host's side of the view, and notes what the policy refused. */
const STANDIN = `
  globalThis.posted = [];
  globalThis.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => {
    globalThis.violations.push(event.violatedDirective + ' ' + event.blockedURI);
  });
  globalThis.acquireVsCodeApi = () => ({
    postMessage: (message) => globalThis.posted.push(message),
    setState: (state) => { globalThis.kept = state; },
  });
`;

const MOST_TRIES = 500;

/** The built view in a page with the extension's own policy. */
export async function openView(browser: Browser, style = ''): Promise<ViewPage> {
  let html = '';
  const server = createServer(async (request, response) => {
    const type = FILES[request.url ?? ''];
    response.setHeader('content-type', type ?? 'text/html');
    response.end(type ? await readFile(join(CHECKOUT, 'dist', request.url ?? '')) : html);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  html = viewHtml({
    nonce: 'test-nonce',
    cspSource: origin,
    scriptUri: `${origin}/webview.js`,
    styleUri: `${origin}/webview.css`,
  }).replace('</head>', `<style nonce="test-nonce">${style}</style></head>`);
  const page = await browser.newPage({ viewport: { width: 900, height: 1000 } });
  const strangers: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin)) strangers.push(url);
  });
  await page.addInitScript(STANDIN);
  await page.goto(origin);
  return {
    page,
    strangers,
    send: (message) => page.evaluate(`window.postMessage(${JSON.stringify(message)}, '*')`),
    async until(expression) {
      for (let tries = 0; !(await page.evaluate(expression)); tries += 1) {
        if (tries === MOST_TRIES) throw new Error(`Not so in time: ${expression}`);
        await page.waitForTimeout(20);
      }
    },
    posted: () => page.evaluate('globalThis.posted'),
    violations: () => page.evaluate('globalThis.violations'),
    async close() {
      await page.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
