import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';
import type { Suite } from '../core/suite.ts';
import { modelsOf } from '../runner/models.ts';
import { type SharedSuite, staysInside } from './messages.ts';
import { QueueError } from './redis.ts';

const MAX_READERS = 16;

/** A suite with all its files. */
export interface SuiteWithFiles {
  readonly suite: Suite;
  /** Absolute paths of all files; the file that defines the suite may be missing. */
  readonly files: readonly string[];
}

/** A path relative to the workspace folder, in the form that runs and workers exchange. @throws QueueError */
export function sharedPath(path: string, root: string): string {
  const shared = relative(root, path).split(sep).join('/');
  if (staysInside(shared)) return shared;
  const message = `${path} is outside ${root}. Files of a queued run must be in that folder, because workers look for them there.`;
  throw new QueueError('not-shared', message);
}

/**
 * A suite's files with their digests, and its models. Both must be the same for a run and its workers.
 *
 * @throws QueueError
 */
export async function sharedSuite(
  { suite, files }: SuiteWithFiles,
  root: string,
): Promise<SharedSuite> {
  const limit = pLimit(MAX_READERS);
  const all = [...new Set([suite.path, ...files])].sort();
  return {
    path: sharedPath(suite.path, root),
    files: await Promise.all(
      all.map((path) =>
        limit(async () => ({ path: sharedPath(path, root), digest: await digestOfFile(path) })),
      ),
    ),
    models: [...new Set(modelsOf(suite.cases).map(({ id }) => id))].sort(),
  };
}

/** Why a worker can't run a suite; undefined if it can. */
export function describeDifference(here: SharedSuite, asked: SharedSuite): string | undefined {
  const own = new Map(here.files.map(({ path, digest }) => [path, digest]));
  for (const { path, digest } of asked.files) {
    const found = own.get(path);
    if (found === undefined) return `${path} does not exist on this worker.`;
    if (found !== digest) return `${path} differs from the run's copy.`;
  }
  const named = new Set(asked.files.map(({ path }) => path));
  const more = here.files.find(({ path }) => !named.has(path));
  if (more) return `${more.path} is used on this worker, but not by the run.`;
  if (here.models.join() === asked.models.join()) return undefined;
  const [ours, theirs] = [here.models, asked.models].map((ids) => ids.join(', ') || 'no model');
  return `${asked.path} uses ${ours} on this worker, but ${theirs} in the run.`;
}

/** SHA-256 hash of a file. A file that can't be read, such as a module that hasn't been built, counts as empty. */
async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash).catch(() => {});
  return hash.digest('hex');
}

/** @param path from `sharedPath` */
export function localPath(path: string, root: string): string {
  return join(root, ...path.split('/'));
}
