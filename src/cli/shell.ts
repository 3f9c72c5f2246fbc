import type { AllowedHost } from '../core/environment.ts';
import type { Scrubber } from '../core/scrubber.ts';

/** What the commands know of the process they run in. */
export interface Shell {
  /** The working folder, absolute. */
  readonly folder: string;
  /** A variable of the process, or else of the file of `--dotenv`. */
  readonly env: (name: string) => string | undefined;
  /** A variable of the process alone: such a file may come with a checkout, and must not say where files are. */
  readonly processEnv: (name: string) => string | undefined;
  /** Variables of the file of `--dotenv`, for models and for the programs of targets. */
  readonly fileVariables: Record<string, string>;
  /** Hosts that the file of `--dotenv` named, with the variables that it set. */
  readonly hostsFromFile: AllowedHost[];
  /** What it hides is hidden in all that `out` and `err` write. */
  readonly scrubber: Scrubber;
  readonly out: Stream;
  readonly err: Stream;
  /** Asks whoever sits at the terminal; absent where nobody does. */
  readonly ask?: (question: string) => Promise<string>;
  /**
   * From now on the first Ctrl+C aborts the signal instead of ending the process; the second one
   * ends it.
   */
  catchInterrupt(): AbortSignal;
}

export interface Stream {
  write(text: string): void;
  /** Writes commands that a CI is to obey; in all that `write` writes it finds none. */
  command(text: string): void;
  /** True for a terminal. */
  readonly isTty: boolean;
  size(): { readonly columns: number; readonly rows: number };
}
