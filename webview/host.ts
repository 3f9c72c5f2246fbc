import {
  type FromView,
  type ToView,
  toViewSchema,
  type ViewState,
} from '../src/protocol/viewProtocol.ts';

interface VsCodeApi {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** Whatever the view is shown in. */
export interface Host {
  /** Whether there is an editor, in which cases run and lines open. */
  readonly editor: boolean;
  post(message: FromView): void;
  /** What brings the view back after a reload. */
  keep(state: ViewState): void;
  listen(onMessage: (message: ToView) => void): void;
}

export function vsCodeHost(): Host {
  const api = acquireVsCodeApi();
  return {
    editor: true,
    post: (message) => api.postMessage(message),
    keep: (state) => api.setState(state),
    listen(onMessage) {
      window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
        const message = toViewSchema.safeParse(data);
        if (message.success) onMessage(message.data);
        else console.error('Not a message of this view:', message.error.message);
      });
    },
  };
}
