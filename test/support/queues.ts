import type { TestContext } from 'node:test';
import { SILENT } from '../../src/core/logger.ts';
import type { CaseLine } from '../../src/core/record/runRecord.ts';
import { Scrubber } from '../../src/core/scrubber.ts';
import { openQueuedRun } from '../../src/queue/queuedRun.ts';
import { serveQueue } from '../../src/queue/serveQueue.ts';
import type { RunEvent } from '../../src/runner/events.ts';
import { putFiles, type Ran, runFiles, suiteIn, workspaceWith } from './runs.ts';

const VERSION = '1.0.0';

export interface TestWorker {
  /** Its messages so far. */
  readonly told: readonly string[];
  /** Cases that it has finished. */
  readonly lines: readonly CaseLine[];
  /** Asks the worker to stop. */
  stop(): void;
  readonly ended: Promise<void>;
}

/** Starts a worker with the given files in its own folder. It stops after the test. */
export async function startWorker(
  t: TestContext,
  url: string,
  files: Readonly<Record<string, string>>,
  concurrency = 2,
): Promise<TestWorker> {
  const root = await workspaceWith(t, files);
  const told: string[] = [];
  const lines: CaseLine[] = [];
  const stopping = new AbortController();
  const ended = serveQueue({
    url,
    version: VERSION,
    root,
    concurrency,
    answersFolder: `${root}/.answers`,
    load: async () => ({
      suite: await suiteIn(root),
      files: Object.keys(files).map((name) => `${root}/${name}`),
    }),
    secret: async () => 'test-key',
    env: () => undefined,
    allowedHosts: [],
    scrubber: new Scrubber(),
    log: SILENT,
    signal: stopping.signal,
    report: (text) => told.push(text),
    onCase: (line) => lines.push(line),
  });
  t.after(async () => {
    stopping.abort();
    await ended;
  });
  return { told, lines, stop: () => stopping.abort(), ended };
}

export interface QueuedOptions {
  readonly maxCost?: number;
  readonly onEvent?: (event: RunEvent) => void;
  readonly signal?: AbortSignal;
}

/** Runs `suite.eval.yaml` with the given files on a queue's workers. */
export async function runQueued(
  t: TestContext,
  url: string,
  files: Readonly<Record<string, string>>,
  { onEvent = () => {}, signal = new AbortController().signal, ...limits }: QueuedOptions = {},
): Promise<Ran> {
  const root = await workspaceWith(t, {});
  await putFiles(root, files);
  const suite = await suiteIn(root);
  const elsewhere = await openQueuedRun({
    url,
    version: VERSION,
    root,
    suites: [{ suite, files: Object.keys(files).map((name) => `${root}/${name}`) }],
    timeout: 10_000,
    cache: false,
    scrubber: new Scrubber(),
    log: SILENT,
    signal,
    onEvent,
    ...limits,
  });
  const running = runFiles(
    t,
    {},
    {
      workspace: root,
      suites: [suite],
      elsewhere,
      concurrency: 100,
      signal,
      onEvent,
      ...limits,
    },
  );
  return running.finally(() => elsewhere.close());
}
