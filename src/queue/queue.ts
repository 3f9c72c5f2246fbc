// The entry point of the queue: a separate file in the package, which the extension doesn't contain.
export { openQueuedRun } from './queuedRun.ts';
export { serveQueue } from './serveQueue.ts';
