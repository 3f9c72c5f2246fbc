import type { Logger } from '../../core/logger.ts';
import { shownUrl } from '../connectionErrors.ts';
import type { SharedLimits } from './rateLimiter.ts';
import { Circuit, InFlight, Line } from './requestQueue.ts';

/** Whom a line leads to. */
interface Whom {
  readonly url: string;
  /** A digest of what tells the caller's account there from another. */
  readonly account: string;
  /** What has limits of its own there: a model, or a path. */
  readonly name: string;
}

/** The limits that a line shares with other processes. @param line names whom it leads to */
export type SharingLimits = (line: string) => SharedLimits;

interface EndpointsOptions {
  /** Maximum number of requests in flight at each endpoint. Default: no limit. */
  readonly concurrency?: number;
  readonly sharedLimits?: SharingLimits;
}

/** What all lines to one endpoint share. */
interface Origin {
  readonly circuit: Circuit;
  readonly inFlight: InFlight;
}

/** The endpoints of a run: all who ask the same one share its limits, and what is known of its health. */
export class Endpoints {
  readonly #log: Logger;
  readonly #concurrency: number;
  readonly #sharedLimits: SharingLimits | undefined;
  readonly #origins = new Map<string, Origin>();
  readonly #lines = new Map<string, Line>();

  constructor(
    log: Logger,
    { concurrency = Number.POSITIVE_INFINITY, sharedLimits }: EndpointsOptions = {},
  ) {
    this.#log = log;
    this.#concurrency = concurrency;
    this.#sharedLimits = sharedLimits;
  }

  line({ url, account, name }: Whom): Line {
    const origin = URL.canParse(url) ? new URL(url).origin : url;
    const key = JSON.stringify([origin, account, name]);
    const line = this.#lines.get(key) ?? this.#made(key, origin, shownUrl(url));
    this.#lines.set(key, line);
    return line;
  }

  #made(key: string, origin: string, shown: string): Line {
    const { circuit, inFlight } = this.#origins.get(origin) ?? {
      circuit: new Circuit(),
      inFlight: new InFlight(this.#concurrency),
    };
    this.#origins.set(origin, { circuit, inFlight });
    const told = {
      isWaiting: () =>
        this.#log.warn(
          `The endpoint ${shown} limits how fast it is asked. Requests wait in line, which counts against no time limit.`,
        ),
      isDown: (why: string) =>
        this.#log.warn(`${why}\nUntil it answers again, requests to it fail at once.`),
      answersAgain: () => this.#log.warn(`The endpoint ${shown} answers again.`),
    };
    return new Line([circuit, new Circuit()], inFlight, told, this.#sharedLimits?.(key));
  }
}
