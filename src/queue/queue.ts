// The entry point of the queue, a separate file of the package that the extension doesn't contain.
export { openQueuedRun } from './queuedRun.ts';
export { serveQueue } from './serveQueue.ts';
