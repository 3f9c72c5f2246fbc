import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import type { RunEvent } from '../runner/events.ts';
import type { RunOptions } from '../runner/runOptions.ts';
import { workspaceOf } from './evalFiles.ts';
import { UsageError } from './exitCode.ts';
import type { Shell } from './shell.ts';
import { ownVersion } from './version.ts';

/** The address of a queue, out of the command line, where others could read it. */
export const QUEUE_VARIABLE = 'TURNLIGHT_QUEUE';

/** @param given true without an address of its own @throws UsageError */
export function queueAddress(given: string | true, { env }: Shell): string {
  const address = given === true ? env(QUEUE_VARIABLE) : given;
  if (address) return address;
  throw new UsageError(
    `--queue: expected the address of a Redis or Valkey, such as redis://localhost:6379, here or in ${QUEUE_VARIABLE}.`,
  );
}

/** Hands a run's cases to the workers of a queue. @throws UsageError, QueueError */
export async function openQueuedRun(
  given: string | true,
  loaded: readonly LoadedSuite[],
  options: Pick<RunOptions, 'timeout' | 'maxCost' | 'log' | 'signal'> & { readonly cache: boolean },
  shell: Shell,
  onEvent: (event: RunEvent) => void,
) {
  const url = queueAddress(given, shell);
  const { QueuedRun } = await import('../queue/queue.ts');
  return QueuedRun.open({
    ...options,
    url,
    version: ownVersion(),
    root: workspaceOf(shell.folder),
    suites: loaded.flatMap(({ suite, dependencies }) =>
      suite ? [{ suite, files: dependencies }] : [],
    ),
    scrubber: shell.scrubber,
    onEvent,
  });
}
