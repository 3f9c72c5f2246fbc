import type { Logger } from '../../core/logger.ts';
import { redactUrl } from '../connectionErrors.ts';
import type { SharedLimits } from './rateLimiter.ts';
import { CircuitBreaker, InFlightCounter, RequestQueue } from './requestQueue.ts';

/** Whom a line leads to. */
interface EndpointKey {
  readonly url: string;
  /** A digest of what tells the caller's account there from another. */
  readonly account: string;
  /** What has limits of its own there: a model, or a path. */
  readonly name: string;
}

/** The limits that a line shares with other processes. @param line names whom it leads to */
export type SharedLimitsFactory = (line: string) => SharedLimits;

interface EndpointsOptions {
  /** Maximum number of requests in flight at each endpoint. Default: no limit. */
  readonly concurrency?: number;
  readonly sharedLimits?: SharedLimitsFactory;
}

/** What all lines to one endpoint share. */
interface Origin {
  readonly circuit: CircuitBreaker;
  readonly inFlight: InFlightCounter;
}

/** The endpoints of a run: all who ask the same one share its limits, and what is known of its health. */
export class Endpoints {
  readonly #log: Logger;
  readonly #concurrency: number;
  readonly #sharedLimits: SharedLimitsFactory | undefined;
  readonly #origins = new Map<string, Origin>();
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
      isWaiting: () =>
        this.#log.warn(
          `The endpoint ${shown} limits how fast it is asked. Requests wait in line, which counts against no time limit.`,
        ),
      isDown: (why: string) =>
        this.#log.warn(`${why}\nUntil it answers again, requests to it fail at once.`),
      answersAgain: () => this.#log.warn(`The endpoint ${shown} answers again.`),
    };
    return new RequestQueue(
      [circuit, new CircuitBreaker()],
      inFlight,
      listener,
      this.#sharedLimits?.(key),
    );
  }
}
