import * as vscode from 'vscode';
import { errorText, stackText } from '../../core/errors.ts';
import { coalesce, Throttle } from '../../core/scheduling.ts';
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
import { reportError } from '../workspace.ts';
import { TITLES, viewHtml } from './viewHtml.ts';

/** Services of the extension that pages use. */
export interface PageParts {
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly live: LiveRuns;
  readonly language: LanguageSupport;
  readonly files: RecordFiles;
  readonly runs: RunsTree;
  /** Runs the unfinished cases of a run. @param records absolute paths of the run's records; default: the last run's */
  readonly resume: (records?: readonly string[]) => Promise<void>;
}

/** Handlers for a page's messages, by kind. The base class handles `ready`. */
export type PageActions<Protocol extends PageProtocol> = {
  readonly [Kind in Exclude<FromPage<Protocol>['kind'], 'ready'>]: (
    message: Extract<FromPage<Protocol>, { readonly kind: Kind }>,
  ) => unknown;
};

/** All open pages, oldest first. */
const open = new Set<Disposing>();

export function openPages<Page extends Disposing>(
  type: abstract new (...args: never[]) => Page,
): Page[] {
  return [...open].filter((page): page is Page => page instanceof type);
}

/** Reveals an open page. @returns whether there is one */
export function revealPage<Page extends Disposing & { reveal(): void }>(
  type: abstract new (...args: never[]) => Page,
  fits: (page: Page) => boolean = () => true,
): boolean {
  const page = openPages(type).find(fits);
  page?.reveal();
  return page !== undefined;
}

export function createPanel(page: ViewPage, column = vscode.ViewColumn.One): vscode.WebviewPanel {
  return vscode.window.createWebviewPanel(viewTypeOf(page), TITLES[page], column);
}

/**
 * A page in a panel. The extension posts whole snapshots, never deltas, so that the next one also corrects a page that
 * was hidden or reloaded.
 */
export abstract class WebviewPage<Protocol extends PageProtocol> extends Disposing {
  readonly #panel: vscode.WebviewPanel;
  readonly #page: ViewPage;
  readonly #throttle: Throttle;
  protected readonly parts: PageParts;
  #isReady = false;
  #last: ToPage<Protocol> | undefined;

  /** @param interval milliseconds from a change to the snapshot that shows it */
  constructor(
    panel: vscode.WebviewPanel,
    page: ViewPage,
    protocol: Protocol,
    interval: number,
    parts: PageParts,
  ) {
    super();
    this.#panel = panel;
    this.#page = page;
    this.parts = parts;
    this.#throttle = this.keep(new Throttle(interval, () => void this.update()));
    const { webview } = this.keep(panel);
    this.keep(webview.onDidReceiveMessage((given) => this.#receive(protocol.fromPage, given)));
    open.add(this);
    panel.onDidDispose(() => this.dispose());
    // The webview can read only `dist`.
    const dist = vscode.Uri.joinPath(parts.extensionUri, 'dist');
    webview.options = { enableScripts: true, localResourceRoots: [dist] };
    webview.html = viewHtml(page, webview.cspSource, (name) =>
      webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString(),
    );
  }

  /** Posts the current snapshot. */
  protected abstract show(): Promise<void>;

  /** Messages without an action are ignored. */
  protected abstract readonly actions: Partial<PageActions<Protocol>>;

  /** Posts one snapshot at a time, so that older data can't replace newer data. */
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

  /** @returns whether the message arrived. A hidden page gets no messages; when it is shown again, it sends `ready` */
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
    reportError(`The ${TITLES[this.#page]} page failed: ${errorText(error)}`);
  }

  protected updateFailed(error: unknown): void {
    this.report(error);
  }

  /** Logs invalid messages, and reports failed actions. */
  async #receive(schema: Protocol['fromPage'], given: unknown): Promise<void> {
    const { data } = schema.safeParse(given);
    if (!data)
      this.parts.log.warn(`Ignored an invalid message from the ${TITLES[this.#page]} page.`);
    else if (data.kind === 'ready') {
      this.#isReady = true;
      // A hidden page loses its content, and the next snapshot may take a while.
      if (this.#last) await this.post(this.#last);
      await this.update();
    } else {
      const actions = this.actions as Record<
        string,
        ((message: typeof data) => unknown) | undefined
      >;
      try {
        await actions[data.kind]?.(data);
      } catch (error) {
        this.report(error);
      }
    }
  }
}
