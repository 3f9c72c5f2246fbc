import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { viewHtml } from '../../../src/extension/pages/viewHtml.ts';
import type { ViewPage as ShownPage } from '../../../src/protocol/viewPage.ts';
import type { FromView, ToView } from '../../../src/protocol/viewProtocol.ts';
import { CHECKOUT } from '../host/install.ts';
import { PATIENCE } from '../until.ts';

export interface ViewPage<To = ToView, From = FromView> {
  readonly page: Page;
  send(message: To): Promise<void>;
  /**
   * Waits until an expression is true in the page. It polls from outside, since the page's policy doesn't allow it to
   * evaluate expressions.
   */
  until(expression: string): Promise<void>;
  /** Messages that the view posted, in order. */
  posted(): Promise<From[]>;
  /** Violations of the page's content security policy. */
  violations(): Promise<string[]>;
  /** URLs that the page requested, other than its own files. */
  readonly strangers: readonly string[];
  close(): Promise<void>;
}

const FILES: Readonly<Record<string, string>> = {
  '/webview.js': 'text/javascript',
  '/webview.css': 'text/css',
};

/** Stands in for the view's host, and records policy violations. */
const STANDIN = `
  globalThis.posted = [];
  globalThis.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => {
    globalThis.violations.push(event.violatedDirective + ' ' + event.blockedURI);
  });
  globalThis.acquireVsCodeApi = () => ({
    postMessage: (message) => globalThis.posted.push(message),
    setState: (state) => { globalThis.kept = state; },
    getState: () => globalThis.kept,
  });
`;

/** Opens the built conversation view in a page with the extension's own policy. */
export async function openView(browser: Browser, style = ''): Promise<ViewPage> {
  return openPage(browser, { style });
}

export interface PageOptions {
  /** Defaults to the conversation. */
  readonly page?: ShownPage;
  readonly style?: string;
  /** The page's state from before a reload. */
  readonly kept?: unknown;
}

/** Opens any of the extension's pages in the same way. */
export async function openPage<To, From>(
  browser: Browser,
  { page: shown = 'conversation', style = '', kept }: PageOptions,
): Promise<ViewPage<To, From>> {
  let html = '';
  const built = await Promise.all(
    Object.keys(FILES).map(
      async (url) => [url, await readFile(join(CHECKOUT, 'dist', url))] as const,
    ),
  );
  const files = new Map<string | undefined, Buffer>(built);
  const server = createServer((request, response) => {
    response.setHeader('content-type', FILES[request.url ?? ''] ?? 'text/html');
    response.end(files.get(request.url) ?? html);
  });
  await new Promise<void>((done) => server.unref().listen(0, '127.0.0.1', done));
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  html = viewHtml(shown, origin, (name) => `${origin}/${name}`);
  const [nonce = ''] = /nonce="[\w-]+"/.exec(html) ?? [];
  html = html.replace('</head>', `<style ${nonce}>${style}</style></head>`);
  const page = await browser.newPage({ viewport: { width: 900, height: 1000 } });
  const strangers: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin)) strangers.push(url);
  });
  await page.addInitScript(STANDIN);
  await page.addInitScript(`globalThis.kept = ${JSON.stringify(kept ?? null)} ?? undefined;`);
  await page.goto(origin);
  return {
    page,
    strangers,
    send: (message) => page.evaluate(`window.postMessage(${JSON.stringify(message)}, '*')`),
    async until(expression) {
      const deadline = performance.now() + PATIENCE;
      while (!(await page.evaluate(expression))) {
        if (performance.now() > deadline) throw new Error(`Not so in time: ${expression}`);
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
