import type { Recordings } from '../recordings.ts';
import type { ChosenReporter } from '../reporters.ts';
import type { Shard } from '../shards.ts';

/** As they were given on the command line. */
export interface RunCommandOptions extends Recordings {
  readonly case?: readonly string[];
  readonly tag?: readonly string[];
  readonly limit?: number;
  readonly onlyFailed?: boolean;
  readonly onlyErrors?: boolean;
  readonly shard?: Shard;
  readonly judge?: string;
  readonly dotenv?: string;
  readonly baseUrl?: string;
  readonly allowHost?: readonly string[];
  readonly concurrency: number;
  /** Milliseconds. */
  readonly timeout: number;
  /** A run by its id or record, or true for the last one. */
  readonly resume?: string | true;
  /** Judges the conversations of this run instead: by its id or record, or true for the last one. */
  readonly judgeAgain?: string | true;
  /** The address of a queue; true for that of the environment. */
  readonly queue?: string | true;
  /** `terminal` by default. */
  readonly reporter?: readonly ChosenReporter[];
  readonly output?: string;
  /** In the currency of the prices. */
  readonly maxCost?: number;
  /** Of the cases that pass or fail, the share that must pass: 0..1. */
  readonly minPassRate?: number;
  /** Default: true if `CI` is set. */
  readonly forbidOnly?: boolean;
  readonly save: boolean;
  readonly cache: boolean;
}
