import type { Redis } from 'ioredis';
import { errorText, ReasonedError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { Scrubber } from '../core/scrubber.ts';

const CONNECT_TIMEOUT = 5_000;

/** Milliseconds to wait for an unreachable Redis when disconnecting. */
export const DISCONNECT_TIMEOUT = 2_000;

/** Braces keep all keys in one slot of a cluster. */
export const PREFIX = '{turnlight}';

/** The ids of the runs, oldest first. */
export const RUNS = `${PREFIX}:runs`;

/** Seconds without a heartbeat after which a run counts as over. */
export const RUN_TTL = 60;

/** The Redis keys of a run, besides its cases. */
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
  /** The address without user, password, or options. */
  readonly shown: string;
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
    const message = `Cannot use the queue at ${shown}: ${scrubber.text(why)}. Check the address, and that Redis or Valkey runs there.`;
    throw new QueueError('unreachable', message);
  }
  isReady = true;
  redis.on('close', () => {
    if (!isClosing)
      log.warn(`The queue at ${shown} is unreachable. Cases continue when it is back.`);
  });
  const close = async () => {
    isClosing = true;
    await waitAtMost(DISCONNECT_TIMEOUT, redis.quit());
    redis.disconnect();
  };
  return { redis, bullmq, shown, close };
}

/** Waits for work that may never end, with a time limit. */
export async function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((done) => {
    timer = setTimeout(done, milliseconds);
  });
  await Promise.race([work.catch(() => {}), timeout]);
  clearTimeout(timer);
}

/** @throws QueueError, without the address: it may contain a password */
function publicAddress(url: string, scrubber: Scrubber): string {
  const { protocol, host, pathname, password } = URL.canParse(url)
    ? new URL(url)
    : { protocol: '', host: '', pathname: '', password: '' };
  if (!['redis:', 'rediss:'].includes(protocol) || host === '') {
    throw new QueueError(
      'bad-address',
      '--queue: expected the address of a Redis or Valkey, such as redis://localhost:6379 or rediss://queue.example.com:6380. With the address in TURNLIGHT_QUEUE, write --queue last.',
    );
  }
  scrubber.add('password of the queue', decodeURIComponent(password));
  scrubber.add('password of the queue', password);
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
 * Why a run can't use a queue, or a worker can't serve one. `missing-packages`: packages aren't installed;
 * `bad-address`: not a Redis address; `unreachable`: no answer, or access denied; `not-shared`: workers couldn't find
 * the files; `no-worker`: every worker refuses the run; `lost`: Redis no longer has the run.
 */
export class QueueError extends ReasonedError<
  'missing-packages' | 'bad-address' | 'unreachable' | 'not-shared' | 'no-worker' | 'lost'
> {
  override readonly name = 'QueueError';
}
