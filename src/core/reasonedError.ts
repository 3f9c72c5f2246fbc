/** An error that a program can tell from others by its reason; `message` says what a person can do. */
export class ReasonedError<Reason extends string> extends Error {
  readonly reason: Reason;

  /** @param reason stable and kebab-case */
  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
