import assert from 'node:assert/strict';
import * as modules from 'node:module';
import { beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { WebviewPanel } from 'vscode';
import type { PageActions } from '../../../../src/extension/pages/webviewPage.ts';
import { type ToTrends, trendsProtocol } from '../../../../src/protocol/trendsProtocol.ts';

const errors: string[] = [];
const watchers: { readonly changed: (() => void)[]; isDisposed: boolean }[] = [];

/** The parts of the VS Code API that the host uses. */
const FAKE = {
  ViewColumn: { One: 1 },
  Uri: { joinPath: (base: string, ...steps: readonly string[]) => [base, ...steps].join('/') },
  window: { showErrorMessage: async (words: string) => void errors.push(words) },
  workspace: {
    createFileSystemWatcher() {
      const watcher = { changed: [] as (() => void)[], isDisposed: false };
      watchers.push(watcher);
      const hear = (heard: () => void) => {
        watcher.changed.push(heard);
        return { dispose() {} };
      };
      const dispose = () => {
        watcher.isDisposed = true;
      };
      return { onDidCreate: hear, onDidChange: hear, onDidDelete: hear, dispose };
    },
  },
};

Reflect.set(globalThis, 'fakeVscode', FAKE);
const SOURCE = 'export const { ViewColumn, Uri, window, workspace } = globalThis.fakeVscode;';
type Resolve = (
  name: string,
  context: unknown,
  next: (name: string, context: unknown) => unknown,
) => unknown;
// The types of the oldest supported Node don't have it yet.
const registerHooks = Reflect.get(modules, 'registerHooks') as (hooks: {
  resolve: Resolve;
}) => void;
registerHooks({
  resolve: (name, context, next) =>
    name === 'vscode'
      ? { url: `data:text/javascript,${encodeURIComponent(SOURCE)}`, shortCircuit: true }
      : next(name, context),
});
const { openPages, revealPage, WebviewPage } = await import(
  '../../../../src/extension/pages/webviewPage.ts'
);

/** A page that counts its snapshots, and shows the count as the number of runs. */
class CountingPage extends WebviewPage<typeof trendsProtocol> {
  count = 0;
  readonly opened: number[] = [];
  /** Each snapshot waits for this promise. */
  slow: Promise<void> = Promise.resolve();

  constructor(panel: WebviewPanel, log: typeof LOG) {
    super(panel, 'trends', trendsProtocol, 1, { extensionUri: 'ext', log } as never);
    this.watchFiles('**/*', () => this.refresh());
  }

  protected async show(): Promise<void> {
    await this.slow;
    this.count += 1;
    const runs = Array.from({ length: this.count }, () => ({ title: 'run', time: '' }));
    await this.post({ kind: 'snapshot', trends: { runs, suites: [] } });
  }

  protected readonly actions: PageActions<typeof trendsProtocol> = {
    open: async ({ run }) => {
      this.opened.push(run);
      if (run === 13) throw new Error('No such run');
    },
  };
}

const warnings: string[] = [];
const LOG = { warn: (words: string) => warnings.push(words), error: () => {} };

function open() {
  const posted: ToTrends[] = [];
  let receive = async (_: unknown) => {};
  let disposed = () => {};
  let isDisposed = false;
  const webview = {
    cspSource: 'https://page.test',
    asWebviewUri: (uri: string) => uri,
    html: '',
    postMessage: async (message: ToTrends) => posted.push(message) > 0,
    onDidReceiveMessage(heard: typeof receive) {
      receive = heard;
      return { dispose() {} };
    },
  };
  const panel = {
    webview,
    reveal() {},
    onDidDispose: (heard: () => void) => {
      disposed = heard;
    },
    dispose() {
      if (isDisposed) return;
      isDisposed = true;
      disposed();
    },
  };
  const page = new CountingPage(panel as never, LOG);
  const lengths = () => posted.map(({ trends }) => trends.runs.length);
  return { page, panel, webview, lengths, send: (message: unknown) => receive(message) };
}

describe('the host of pages', () => {
  beforeEach(() => {
    errors.length = 0;
    warnings.length = 0;
    for (const page of openPages(CountingPage)) page.dispose();
  });

  it('loads a page whose only script has a new nonce each time', () => {
    const nonces = [open(), open()].map(({ webview: { html } }) => {
      const [, policy = ''] = /script-src 'nonce-([\w-]+)'/.exec(html) ?? [];
      const [, script = ''] =
        /<script type="module" nonce="([\w-]+)" src="ext\/dist/.exec(html) ?? [];
      assert.equal(policy, script);
      return script;
    });
    assert.equal(new Set(nonces).size, 2);
    assert.ok(nonces.every((nonce) => nonce.length >= 22));
  });

  it('posts nothing before a page is ready, and the last snapshot immediately if it is shown again', async () => {
    const { page, lengths, send } = open();
    await page.update();
    assert.deepEqual(lengths(), []);
    await send({ kind: 'ready' });
    assert.deepEqual(lengths(), [1]);
    await send({ kind: 'ready' });
    assert.deepEqual(lengths(), [1, 1, 2]);
  });

  it('posts one snapshot at a time, and one more for all changes in between', async () => {
    const { page, lengths, send } = open();
    let go = () => {};
    page.slow = new Promise((resolve) => {
      go = resolve;
    });
    const first = send({ kind: 'ready' });
    const others = [page.update(), page.update(), page.update()];
    await setImmediate();
    assert.deepEqual(lengths(), []);
    go();
    await Promise.all([first, ...others]);
    assert.deepEqual(lengths(), [1, 2]);
  });

  it('acts only on valid messages, and continues after an action fails', async () => {
    const { page, send } = open();
    await send({ kind: 'open', run: -1 });
    await send({ kind: 'nonsense' });
    await send(undefined);
    assert.deepEqual(page.opened, []);
    assert.deepEqual(
      new Set(warnings),
      new Set(['Ignored an invalid message from the Trends page.']),
    );
    assert.equal(warnings.length, 3);
    await send({ kind: 'open', run: 13 });
    assert.deepEqual(errors, ['The Trends page failed: No such run']);
    await send({ kind: 'open', run: 1 });
    assert.deepEqual(page.opened.at(-1), 1);
  });

  it('reports a snapshot that fails, and posts the next one', async () => {
    const { page, lengths, send } = open();
    page.slow = Promise.reject(new Error('Disk is full'));
    await send({ kind: 'ready' });
    assert.deepEqual(errors, ['The Trends page failed: Disk is full']);
    page.slow = Promise.resolve();
    await page.update();
    assert.deepEqual(lengths(), [1]);
  });

  it('knows which pages are open, and disposes of what they watch with their panel', () => {
    const { page, panel } = open();
    assert.equal(revealPage(CountingPage), true);
    assert.equal(
      revealPage(CountingPage, (one) => one !== page),
      false,
    );
    panel.dispose();
    assert.deepEqual(openPages(CountingPage), []);
    assert.equal(watchers.at(-1)?.isDisposed, true);
  });
});
