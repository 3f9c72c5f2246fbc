import type { FromPage, PageProtocol, PageState, ToPage } from '../src/protocol/viewPage.ts';

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
  getState(): unknown;
};

/** The environment that shows a page. */
export interface Host<Protocol extends PageProtocol> {
  /** Whether there is an editor that can run cases and open lines. */
  readonly editor: boolean;
  post(message: FromPage<Protocol>): void;
  /** Saves the state that a reload restores. */
  keep(state: PageState<Protocol>): void;
}

/** A page's view. */
interface View<Protocol extends PageProtocol> {
  receive(message: ToPage<Protocol>): void;
}

/** Connects a view to the extension. @param create receives the saved state */
export function connect<Protocol extends PageProtocol>(
  { toPage, state }: Protocol,
  create: (host: Host<Protocol>, saved?: PageState<Protocol>) => View<Protocol>,
): void {
  const api = acquireVsCodeApi();
  const saved = state.safeParse(api.getState()).data as PageState<Protocol> | undefined;
  const view = create(
    {
      editor: true,
      post: (message) => api.postMessage(message),
      keep: (now) => api.setState(now),
    },
    saved,
  );
  window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const message = toPage.safeParse(data);
    if (message.success) view.receive(message.data as ToPage<Protocol>);
    else console.error('Not a message for this page:', message.error.message);
  });
  api.postMessage({ kind: 'ready' });
}
