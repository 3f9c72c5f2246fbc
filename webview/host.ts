import type * as z from 'zod';

interface VsCodeApi {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
  getState(): unknown;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** Whatever a page of ours is shown in. */
export interface Host<From, To, State> {
  /** Whether there is an editor, in which cases run and lines open. */
  readonly editor: boolean;
  post(message: From): void;
  /** What brings the page back after a reload. */
  keep(state: State): void;
  listen(onMessage: (message: To) => void): void;
}

export interface VsCodeHost<From, To, State> extends Host<From, To, State> {
  /** What was kept last; anything at all. */
  readonly kept: unknown;
}

/** @param messages what the extension sends */
export function vsCodeHost<From, To, State>(messages: z.ZodType<To>): VsCodeHost<From, To, State> {
  const api = acquireVsCodeApi();
  return {
    editor: true,
    kept: api.getState(),
    post: (message) => api.postMessage(message),
    keep: (state) => api.setState(state),
    listen(onMessage) {
      window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
        const message = messages.safeParse(data);
        if (message.success) onMessage(message.data);
        else console.error('Not a message of this view:', message.error.message);
      });
    },
  };
}
