/** All of a queue, as one file of the package: the extension goes without it. */
export { QueuedRun } from './queuedRun.ts';
export { serveQueue } from './serveQueue.ts';
