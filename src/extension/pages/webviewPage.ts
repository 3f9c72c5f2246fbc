import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { errorText, stackText } from '../../core/errors.ts';
import { coalesce, Throttle } from '../../core/scheduling.ts';
import { noticeText } from '../../core/text/visibleText.ts';
import {
  type FromPage,
  type PageProtocol,
  type ToPage,
  type ViewPage,
  viewTypeOf,
} from '../../protocol/viewPage.ts';
import { Disposing } from '../disposables.ts';
import type { LanguageSupport } from '../languageClient.ts';
import type { LiveRuns } from '../liveRuns.ts';
import type { RecordFiles } from '../runs/recordFiles.ts';
import type { RunsTree } from '../runs/runsTree.ts';
import { viewHtml } from './viewHtml.ts';

/** What pages use of the extension. */
export interface PageParts {
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly live: LiveRuns;
  readonly language: LanguageSupport;
  readonly files: RecordFiles;
  readonly runs: RunsTree;
  /** Runs the cases that a run didn't finish. @param records of the run, absolute; those of the last one by default */
  readonly resume: (records?: readonly string[]) => Promise<void>;
}

export interface PageKind<Protocol extends PageProtocol> {
  readonly page: ViewPage;
  readonly protocol: Protocol;
  /** As error messages call it, such as `results view`. */
  readonly name: string;
  /** Milliseconds between a change and the snapshot that shows it. */
  readonly interval: number;
}

/** What a page asks for. The host answers `ready` itself. */
export type PageAction<Protocol extends PageProtocol> = Exclude<
  FromPage<Protocol>,
  { readonly kind: 'ready' }
>;

/** The pages that are open, the oldest first. */
const open = new Set<Disposing>();

export function openPages<Page extends Disposing>(
  type: abstract new (...args: never[]) => Page,
): Page[] {
  return [...open].filter((page): page is Page => page instanceof type);
}

/** Shows a page that is open. @returns whether there is one */
export function revealPage<Page extends WebviewPage<PageProtocol>>(
  type: abstract new (...args: never[]) => Page,
  fits: (page: Page) => boolean = () => true,
): boolean {
  const page = openPages(type).find(fits);
  page?.reveal();
  return page !== undefined;
}

export function createPanel(
  page: ViewPage,
  title: string,
  viewColumn = vscode.ViewColumn.One,
): vscode.WebviewPanel {
  return vscode.window.createWebviewPanel(viewTypeOf(page), title, {
    viewColumn,
    preserveFocus: false,
  });
}

/**
 * A page in a panel. It posts whole snapshots, never deltas, so a page that was hidden or reloaded is right again with
 * the next one.
 */
export abstract class WebviewPage<Protocol extends PageProtocol> extends Disposing {
  readonly #panel: vscode.WebviewPanel;
  readonly #name: string;
  readonly #throttle: Throttle;
  protected readonly log: vscode.LogOutputChannel;
  #isReady = false;
  #last: ToPage<Protocol> | undefined;

  constructor(
    panel: vscode.WebviewPanel,
    { page, protocol, name, interval }: PageKind<Protocol>,
    { extensionUri, log }: Pick<PageParts, 'extensionUri' | 'log'>,
  ) {
    super();
    this.#panel = panel;
    this.#name = name;
    this.log = log;
    this.#throttle = this.keep(new Throttle(interval, () => void this.update()));
    const { webview } = this.keep(panel);
    this.keep(webview.onDidReceiveMessage((given) => this.#receive(protocol.fromPage, given)));
    open.add(this);
    panel.onDidDispose(() => this.dispose());
    load(webview, extensionUri, page);
  }

  /** Posts what there is to see now. */
  protected abstract show(): Promise<void>;

  protected abstract act(message: PageAction<Protocol>): Promise<void>;

  /** One at a time: what was read early must not be shown after what was read later. */
  readonly update = coalesce(async () => {
    // A page that does not listen yet says when it does.
    if (this.#isReady) await this.show().catch((error: unknown) => this.updateFailed(error));
  });

  get active(): boolean {
    return this.#panel.active;
  }

  get viewColumn(): vscode.ViewColumn | undefined {
    return this.#panel.viewColumn;
  }

  reveal(): void {
    this.#panel.reveal(undefined, false);
  }

  override dispose(): void {
    open.delete(this);
    super.dispose();
  }

  protected set title(title: string) {
    this.#panel.title = title;
  }

  /** @returns whether it arrived: a hidden page gets no messages, and asks again when it is shown */
  protected async post(message: ToPage<Protocol>): Promise<boolean> {
    if (message.kind === 'snapshot') this.#last = message;
    return this.#panel.webview.postMessage(message);
  }

  /** Something has changed that the page shows. */
  protected refresh(): void {
    this.#throttle.schedule();
  }

  /** @param onChange called with each file that is created, changed or deleted */
  protected watch(glob: string, onChange: (uri: vscode.Uri) => void): void {
    const watcher = this.keep(vscode.workspace.createFileSystemWatcher(glob));
    this.keep(watcher.onDidCreate(onChange));
    this.keep(watcher.onDidChange(onChange));
    this.keep(watcher.onDidDelete(onChange));
  }

  protected report(error: unknown): void {
    this.log.error(stackText(error));
    const words = `The ${this.#name} failed: ${errorText(error)}`;
    void vscode.window.showErrorMessage(noticeText(words));
  }

  protected updateFailed(error: unknown): void {
    this.report(error);
  }

  /** An invalid message, or one that fails, breaks nothing. */
  async #receive(schema: Protocol['fromPage'], given: unknown): Promise<void> {
    const { data } = schema.safeParse(given);
    if (!data) this.log.warn(`Ignored an invalid message from the ${this.#name}.`);
    else if (data.kind !== 'ready') {
      await this.act(data as PageAction<Protocol>).catch((error: unknown) => this.report(error));
    } else {
      this.#isReady = true;
      // A page that is shown again has forgotten it, and the next one may take a while.
      if (this.#last) await this.post(this.#last);
      await this.update();
    }
  }
}

/** Loads our script into a webview. It can read what is in `dist`, and nothing else. */
function load(webview: vscode.Webview, extensionUri: vscode.Uri, page: ViewPage): void {
  const dist = vscode.Uri.joinPath(extensionUri, 'dist');
  const asset = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  webview.options = { enableScripts: true, localResourceRoots: [dist] };
  webview.html = viewHtml({
    nonce: randomBytes(16).toString('base64url'),
    cspSource: webview.cspSource,
    page,
    scriptUri: asset('webview.js'),
    styleUri: asset('webview.css'),
  });
}
