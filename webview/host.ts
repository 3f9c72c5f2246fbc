import type { FromPage, PageProtocol, PageState, ToPage } from '../src/protocol/viewPage.ts';

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
  getState(): unknown;
};

/** Whatever a page of ours is shown in. */
export interface Host<Protocol extends PageProtocol> {
  /** Whether there is an editor, in which cases run and lines open. */
  readonly editor: boolean;
  post(message: FromPage<Protocol>): void;
  /** Keeps what brings the page back after a reload. */
  keep(state: PageState<Protocol>): void;
}

/**
 * Connects a page to the extension.
 *
 * @param start makes the page, from what it kept before a reload, and returns what takes its messages
 */
export function connect<Protocol extends PageProtocol>(
  { toPage, state }: Protocol,
  start: (
    host: Host<Protocol>,
    kept: PageState<Protocol> | undefined,
  ) => (message: ToPage<Protocol>) => void,
): void {
  const api = acquireVsCodeApi();
  const kept = state.safeParse(api.getState()).data as PageState<Protocol> | undefined;
  const host: Host<Protocol> = {
    editor: true,
    post: (message) => api.postMessage(message),
    keep: (now) => api.setState(now),
  };
  const receive = start(host, kept);
  window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const message = toPage.safeParse(data);
    if (message.success) receive(message.data as ToPage<Protocol>);
    else console.error('Not a message of this page:', message.error.message);
  });
  api.postMessage({ kind: 'ready' });
}
