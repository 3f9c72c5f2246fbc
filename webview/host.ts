import type { FromPage, PageProtocol, PageState, ToPage } from '../src/protocol/viewPage.ts';

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
  getState(): unknown;
};

/** The environment that shows a page. */
export interface Host<Protocol extends PageProtocol> {
  /** Whether an editor can run cases and open lines. */
  readonly editor: boolean;
  post(message: FromPage<Protocol>): void;
  /** Saves the state to restore after a reload. */
  keep(state: PageState<Protocol>): void;
}

/**
 * Connects a page to the extension.
 *
 * @param start creates the page from the saved state and returns its message handler
 */
export function connect<Protocol extends PageProtocol>(
  { toPage, state }: Protocol,
  start: (
    host: Host<Protocol>,
    saved: PageState<Protocol> | undefined,
  ) => (message: ToPage<Protocol>) => void,
): void {
  const api = acquireVsCodeApi();
  const saved = state.safeParse(api.getState()).data as PageState<Protocol> | undefined;
  const host: Host<Protocol> = {
    editor: true,
    post: (message) => api.postMessage(message),
    keep: (now) => api.setState(now),
  };
  const receive = start(host, saved);
  window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const message = toPage.safeParse(data);
    if (message.success) receive(message.data as ToPage<Protocol>);
    else console.error('Not a message of this page:', message.error.message);
  });
  api.postMessage({ kind: 'ready' });
}
