import type { Redis } from 'ioredis';
import { errorText, ReasonedError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { visibleLine } from '../core/text/visibleText.ts';

const CONNECT_TIMEOUT = 5_000;

/** Milliseconds to wait for an unreachable Redis when disconnecting. */
export const DISCONNECT_TIMEOUT = 2_000;

/** Prefix for all keys. The braces keep them in one slot of a Redis cluster. */
export const PREFIX = '{turnlight}';

/** The ids of the runs, oldest first. */
export const RUNS = `${PREFIX}:runs`;

/** Seconds without a heartbeat after which a run is considered to be over. */
export const RUN_TTL = 60;

/** A run's Redis keys, except those of its cases. */
export function keysOf(run: string) {
  const key = (name: string) => `${PREFIX}:${run}:${name}`;
  return {
    manifest: key('manifest'),
    workers: key('workers'),
    cost: key('cost'),
    held: key('held'),
    limits: key('limits'),
  };
}

export interface Connection {
  readonly redis: Redis;
  readonly bullmq: typeof import('bullmq');
  /** The address without user, password, and options, for display. */
  readonly shown: string;
  /** Waits for work with Redis. @throws QueueError instead of the errors of its packages */
  use<Result>(work: Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** @throws QueueError */
export async function connect(url: string, scrubber: Scrubber, log: Logger): Promise<Connection> {
  const shown = publicAddress(url, scrubber);
  const [bullmq, { Redis }] = await importPackages();
  let isReady = false;
  let isClosing = false;
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT,
    maxRetriesPerRequest: null,
    retryStrategy: (times) => (isReady ? Math.min(200 * times, 2_000) : null),
  });
  let last: unknown;
  redis.on('error', (error) => {
    last = error;
  });
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    redis.disconnect();
    const why = errorText(last ?? error) || 'no answer';
    const message = `Cannot use the queue at ${shown}: ${scrubber.text(why)}. Check the address, and that Redis or Valkey is running there.`;
    throw new QueueError('unreachable', message);
  }
  isReady = true;
  redis.on('close', () => {
    if (!isClosing)
      log.warn(`The queue at ${shown} is unreachable. Cases continue when it is available again.`);
  });
  const close = async () => {
    isClosing = true;
    await waitAtMost(DISCONNECT_TIMEOUT, redis.quit());
    redis.disconnect();
  };
  const use = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof QueueError) throw error;
      const why = visibleLine(scrubber.text(errorText(error)), 300);
      const [code = ''] = why.split(' ', 1);
      const stop = /[.!?]$/.test(why) ? '' : '.';
      const message = `The queue at ${shown} failed: ${why}${stop} ${FIXES.get(code) ?? OTHER_FIX}`;
      throw new QueueError('failed', message, { cause: error });
    }
  };
  return { redis, bullmq, shown, use, close };
}

/** What to do about an error of Redis, by its code. */
const FIXES: ReadonlyMap<string, string> = new Map([
  ['OOM', 'Give Redis more memory, or remove other data from it.'],
  ['NOPERM', `Allow the user all commands on keys that start with ${PREFIX}.`],
  ['READONLY', 'Use the address of the primary server, not that of a replica.'],
]);

const OTHER_FIX = `If another program changed the keys that start with ${PREFIX}, delete them, or use another database.`;

/** Waits for work that may never end, up to a time limit. */
export async function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((done) => {
    timer = setTimeout(done, milliseconds);
  });
  await Promise.race([work.catch(() => {}), timeout]);
  clearTimeout(timer);
}

/** @throws QueueError, whose message omits the address, because it may contain a password */
function publicAddress(url: string, scrubber: Scrubber): string {
  const { protocol, host, pathname, password } = URL.canParse(url)
    ? new URL(url)
    : { protocol: '', host: '', pathname: '', password: '' };
  if (!['redis:', 'rediss:'].includes(protocol) || host === '') {
    throw new QueueError(
      'bad-address',
      '--queue: expected the address of a Redis or Valkey server, such as redis://localhost:6379 or rediss://queue.example.com:6380. If the address is in TURNLIGHT_QUEUE, put --queue last.',
    );
  }
  scrubber.addPassword('queue password', password);
  return `${protocol}//${host}${pathname}`;
}

/** @throws QueueError */
async function importPackages() {
  try {
    return await Promise.all([import('bullmq'), import('ioredis')]);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'))
      throw error;
    throw new QueueError(
      'missing-packages',
      'A queue needs two more packages. Install them next to turnlight: npm install bullmq ioredis',
    );
  }
}

/**
 * Thrown if a run can't use a queue, or a worker can't serve one. `missing-packages`: packages aren't installed;
 * `bad-address`: not a Redis address; `unreachable`: no answer, or access denied; `not-shared`: workers couldn't find
 * the files; `no-worker`: every worker refuses the run; `lost`: Redis no longer has the run; `failed`: Redis refuses a
 * command, or its data is invalid.
 */
export class QueueError extends ReasonedError<
  | 'missing-packages'
  | 'bad-address'
  | 'unreachable'
  | 'not-shared'
  | 'no-worker'
  | 'lost'
  | 'failed'
> {
  override readonly name = 'QueueError';
}
