/** What the commands know of the process they run in. */
export interface Shell {
  /** The working folder, absolute. */
  readonly folder: string;
  readonly env: (name: string) => string | undefined;
  readonly out: Stream;
  readonly err: Stream;
  /**
   * From now on the first Ctrl+C aborts the signal instead of ending the process; the second one
   * ends it.
   */
  catchInterrupt(): AbortSignal;
}

export interface Stream {
  write(text: string): void;
  /** True for a terminal. */
  readonly isTty: boolean;
  size(): { readonly columns: number; readonly rows: number };
}
