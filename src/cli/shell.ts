import type { AllowedHost } from '../core/environment.ts';
import type { Scrubber } from '../core/scrubber.ts';

export interface Shell {
  /** The absolute path of the working folder. */
  readonly folder: string;
  /** Looks up a variable in the process's environment, then in the `--dotenv` file. */
  readonly env: (name: string) => string | undefined;
  /** Ignores the `--dotenv` file: it may come with a checkout, and must not decide where files go. */
  readonly processEnv: (name: string) => string | undefined;
  /** The `--dotenv` file's variables, for models and for targets' programs. */
  readonly fileVariables: Record<string, string>;
  /** Hosts in addresses in the `--dotenv` file; each may receive all of that file's variables. */
  readonly hostsFromFile: AllowedHost[];
  /** Redacts secrets from everything written with `out.write` and `err.write`. */
  readonly scrubber: Scrubber;
  readonly out: Stream;
  readonly err: Stream;
  /** Asks the person at the terminal; absent if there is no terminal. */
  readonly ask?: (question: string) => Promise<string>;
  /** After this call, the first Ctrl+C aborts the signal instead of ending the process. */
  catchInterrupt(): AbortSignal;
}

export interface Stream {
  write(text: string): void;
  /** Writes text that contains no secrets; redacting it could break its format. */
  report(text: string): void;
  /** Writes CI commands. In the output of `write` and `report`, the CI service ignores them. */
  command(text: string): void;
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
