// The queue's entry point: a separate file in the npm package. The extension doesn't contain it.
export { openQueuedRun } from './queuedRun.ts';
export { serveQueue } from './serveQueue.ts';
