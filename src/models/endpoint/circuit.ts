/** So many requests in a row that failed, retries and all, mean that their endpoint is down. */
const FAILURES = 3;

/** Milliseconds until one request tries again whether it is still down. */
const REST = 30_000;

/** Keeps requests from an endpoint that is down, so that each of them fails at once. */
export class Circuit {
  #failures = 0;
  /** Why the last request failed, while nothing is to be asked. */
  #why: string | undefined;
  #nextTry = 0;

  /** @returns why there is no asking now */
  refusal(now: number): string | undefined {
    return now < this.#nextTry ? this.#why : undefined;
  }

  /** Somebody asks. Where that is a try after a rest, it is the only one. */
  asked(now: number): void {
    if (this.#why !== undefined) this.#nextTry = now + REST;
  }

  /** @returns whether it has just become clear that the endpoint is down */
  failed(why: string, now: number): boolean {
    this.#failures += 1;
    if (this.#failures < FAILURES) return false;
    const isNew = this.#why === undefined;
    this.#why = why;
    this.#nextTry = now + REST;
    return isNew;
  }

  /** @returns whether it was down */
  answered(): boolean {
    const wasDown = this.#why !== undefined;
    this.#failures = 0;
    this.#why = undefined;
    return wasDown;
  }
}
