import type { AllowedHost } from '../core/environment.ts';
import type { Scrubber } from '../core/scrubber.ts';

/** The process that a command runs in. */
export interface Shell {
  /** The working folder, absolute. */
  readonly folder: string;
  /** A variable of the process, or else of the `--dotenv` file. */
  readonly env: (name: string) => string | undefined;
  /** A variable of the process only: a `--dotenv` file may come with a checkout, and must not decide where files are. */
  readonly processEnv: (name: string) => string | undefined;
  /** Variables of the `--dotenv` file, for models and for the programs of targets. */
  readonly fileVariables: Record<string, string>;
  /** Hosts that the `--dotenv` file names, with the variables that it sets. */
  readonly hostsFromFile: AllowedHost[];
  /** Redacts secrets from everything written with `out.write` and `err.write`. */
  readonly scrubber: Scrubber;
  readonly out: Stream;
  readonly err: Stream;
  /** Asks the person at the terminal; absent if there is none. */
  readonly ask?: (question: string) => Promise<string>;
  /**
   * After this call, the first Ctrl+C aborts the signal instead of ending the process; the second
   * one ends it.
   */
  catchInterrupt(): AbortSignal;
}

export interface Stream {
  write(text: string): void;
  /** Writes text that was made of data without secrets. Hiding them here could break its format. */
  report(text: string): void;
  /** As `report`, commands that a CI obeys; it finds none in the output of `write` and `report`. */
  command(text: string): void;
  /** True for a terminal. */
  readonly isTty: boolean;
  size(): { readonly columns: number; readonly rows: number };
}

/** Asks a yes/no question. @returns undefined if nobody is at a terminal */
export async function confirm(
  question: string,
  { ask }: Pick<Shell, 'ask'>,
): Promise<boolean | undefined> {
  if (!ask) return undefined;
  return /^y(es)?$/i.test((await ask(`${question} (y/N) `)).trim());
}
