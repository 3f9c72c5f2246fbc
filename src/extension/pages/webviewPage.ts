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

/** Services of the extension that pages use. */
export interface PageParts {
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly live: LiveRuns;
  readonly language: LanguageSupport;
  readonly files: RecordFiles;
  readonly runs: RunsTree;
  /** Runs the unfinished cases of a run. @param records of the run, absolute; default: those of the last run */
  readonly resume: (records?: readonly string[]) => Promise<void>;
}

export interface PageKind<Protocol extends PageProtocol> {
  readonly page: ViewPage;
  readonly protocol: Protocol;
  /** Used in error messages, such as `results view`. */
  readonly name: string;
  /** Milliseconds between a change and the snapshot that shows it. */
  readonly interval: number;
}

/** A message of a page, except for `ready`, which the host handles. */
export type PageAction<Protocol extends PageProtocol> = Exclude<
  FromPage<Protocol>,
  { readonly kind: 'ready' }
>;

/** Open pages, oldest first. */
const open = new Set<Disposing>();

export function openPages<Page extends Disposing>(
  type: abstract new (...args: never[]) => Page,
): Page[] {
  return [...open].filter((page): page is Page => page instanceof type);
}

/** Reveals an open page. @returns whether there is one */
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
 * A page in a panel. It posts whole snapshots, never deltas, so a page that was hidden or reloaded is correct with
 * the next one.
 */
export abstract class WebviewPage<Protocol extends PageProtocol> extends Disposing {
  readonly #panel: vscode.WebviewPanel;
  readonly #name: string;
  readonly #throttle: Throttle;
  protected readonly parts: PageParts;
  #isReady = false;
  #last: ToPage<Protocol> | undefined;

  constructor(
    panel: vscode.WebviewPanel,
    { page, protocol, name, interval }: PageKind<Protocol>,
    parts: PageParts,
  ) {
    super();
    this.#panel = panel;
    this.#name = name;
    this.parts = parts;
    this.#throttle = this.keep(new Throttle(interval, () => void this.update()));
    const { webview } = this.keep(panel);
    this.keep(webview.onDidReceiveMessage((given) => this.#receive(protocol.fromPage, given)));
    open.add(this);
    panel.onDidDispose(() => this.dispose());
    load(webview, parts.extensionUri, page);
  }

  /** Posts the current snapshot. */
  protected abstract show(): Promise<void>;

  protected abstract act(message: PageAction<Protocol>): Promise<void>;

  /** One at a time, so that older data can't replace newer data. */
  readonly update = coalesce(async () => {
    // The page sends `ready` when it starts listening.
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

  /** @returns whether it arrived: a hidden page gets no messages, and sends `ready` again when it is shown */
  protected async post(message: ToPage<Protocol>): Promise<boolean> {
    if (message.kind === 'snapshot') this.#last = message;
    return this.#panel.webview.postMessage(message);
  }

  /** Schedules a snapshot. */
  protected refresh(): void {
    this.#throttle.schedule();
  }

  protected report(error: unknown): void {
    this.parts.log.error(stackText(error));
    const words = `The ${this.#name} failed: ${errorText(error)}`;
    void vscode.window.showErrorMessage(noticeText(words));
  }

  protected updateFailed(error: unknown): void {
    this.report(error);
  }

  /** Logs invalid messages, and reports failed actions. */
  async #receive(schema: Protocol['fromPage'], given: unknown): Promise<void> {
    const { data } = schema.safeParse(given);
    if (!data) this.parts.log.warn(`Ignored an invalid message from the ${this.#name}.`);
    else if (data.kind !== 'ready') {
      await this.act(data as PageAction<Protocol>).catch((error: unknown) => this.report(error));
    } else {
      this.#isReady = true;
      // A page that was hidden lost its content, and the next snapshot may take a while.
      if (this.#last) await this.post(this.#last);
      await this.update();
    }
  }
}

/** Loads the page's script into a webview, which can only read `dist`. */
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
