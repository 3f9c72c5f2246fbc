import type { Logger } from '../../core/logger.ts';
import { shownUrl } from '../shownWords.ts';
import { Circuit } from './circuit.ts';
import { Line } from './line.ts';
import type { SharedLimits } from './sharedLimits.ts';

/** Whom a line leads to. */
export interface Whom {
  readonly url: string;
  /** A digest of what tells the caller's account there from another. */
  readonly account: string;
  /** What has limits of its own there: a model, or a path. */
  readonly name: string;
}

/** The limits that a line shares with other processes. @param line names whom it leads to */
export type SharingLimits = (line: string) => SharedLimits;

/** The endpoints of a run: all who ask the same one share its limits, and what is known of its health. */
export class Endpoints {
  readonly #log: Logger;
  readonly #sharedLimits: SharingLimits | undefined;
  readonly #circuits = new Map<string, Circuit>();
  readonly #lines = new Map<string, Line>();

  constructor(log: Logger, sharedLimits?: SharingLimits) {
    this.#log = log;
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
    const circuit = this.#circuits.get(origin) ?? new Circuit();
    this.#circuits.set(origin, circuit);
    const told = {
      isWaiting: () =>
        this.#log.warn(
          `The endpoint ${shown} limits how fast it is asked. Requests wait in line, which counts against no time limit.`,
        ),
      isDown: (why: string) =>
        this.#log.warn(`${why}\nUntil it answers again, requests to it fail at once.`),
      answersAgain: () => this.#log.warn(`The endpoint ${shown} answers again.`),
    };
    return new Line([circuit, new Circuit()], told, this.#sharedLimits?.(key));
  }
}
