/** The requests in flight at one endpoint, of all its lines together. */
export class InFlight {
  readonly #max: number;
  #count = 0;
  #lines: (() => void)[] = [];

  /** @param max how many there may be at once */
  constructor(max: number) {
    this.#max = max;
  }

  get hasRoom(): boolean {
    return this.#count < this.#max;
  }

  /** @param admit lets those of a line go who may; called when there is room again */
  add(admit: () => void): void {
    this.#lines.push(admit);
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    // Each line in turn comes first, so that none waits for ever.
    this.#lines.push(...this.#lines.splice(0, 1));
    for (const admit of this.#lines) admit();
  }
}
