import type { Logger } from '../../core/logger.ts';
import { redactUrl } from '../connectionErrors.ts';
import type { SharedLimits } from './rateLimiter.ts';
import { CircuitBreaker, InFlightCounter, RequestQueue } from './requestQueue.ts';

interface EndpointKey {
  readonly url: string;
  /** Digest of the account's key and headers. */
  readonly account: string;
  /** The model or path, which has its own limits. */
  readonly name: string;
}

/** Creates limits that a queue shares with other processes. @param key identifies the queue */
export type SharedLimitsFactory = (key: string) => SharedLimits;

interface EndpointsOptions {
  /** Maximum number of requests in flight at each endpoint. Default: no limit. */
  readonly concurrency?: number;
  readonly sharedLimits?: SharedLimitsFactory;
}

/** A run's endpoints. Requests to the same endpoint share its limits and its health. */
export class Endpoints {
  readonly #log: Logger;
  readonly #concurrency: number;
  readonly #sharedLimits: SharedLimitsFactory | undefined;
  readonly #origins = new Map<string, { circuit: CircuitBreaker; inFlight: InFlightCounter }>();
  readonly #queues = new Map<string, RequestQueue>();

  constructor(
    log: Logger,
    { concurrency = Number.POSITIVE_INFINITY, sharedLimits }: EndpointsOptions = {},
  ) {
    this.#log = log;
    this.#concurrency = concurrency;
    this.#sharedLimits = sharedLimits;
  }

  queueFor({ url, account, name }: EndpointKey): RequestQueue {
    const origin = URL.canParse(url) ? new URL(url).origin : url;
    const key = JSON.stringify([origin, account, name]);
    const queue = this.#queues.get(key) ?? this.#createQueue(key, origin, redactUrl(url));
    this.#queues.set(key, queue);
    return queue;
  }

  #createQueue(key: string, origin: string, shown: string): RequestQueue {
    const { circuit, inFlight } = this.#origins.get(origin) ?? {
      circuit: new CircuitBreaker(),
      inFlight: new InFlightCounter(this.#concurrency),
    };
    this.#origins.set(origin, { circuit, inFlight });
    const listener = {
      onRateLimited: () =>
        this.#log.warn(
          `The endpoint ${shown} is rate-limiting requests. Turnlight queues them; time in the queue doesn't count toward timeouts.`,
        ),
      onDown: (why: string) =>
        this.#log.warn(`${why}\nRequests to it fail immediately until it responds again.`),
      onRecovered: () => this.#log.warn(`The endpoint ${shown} is responding again.`),
    };
    return new RequestQueue(
      [circuit, new CircuitBreaker()],
      inFlight,
      listener,
      this.#sharedLimits?.(key),
    );
  }
}
