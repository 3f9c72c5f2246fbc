/** An error identified by its `reason`; `message` says what to do. */
export class ReasonedError<Reason extends string> extends Error {
  readonly reason: Reason;

  /** @param reason stable and kebab-case */
  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export class WorkLimitError extends Error {
  override readonly name = 'TookTooLong';
}

export function stackText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Makes an incomplete switch a compile error. */
export function unreachable(value: never): never {
  throw new Error(`Internal error: there is no case for ${JSON.stringify(value)}.`);
}
