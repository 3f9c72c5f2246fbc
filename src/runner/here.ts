import { findHomes } from '../store/home.ts';
import { runCase } from './case/runCase.ts';
import type { CaseRunner } from './caseRunner.ts';
import { Exchanges } from './exchanges.ts';
import type { RunOptions } from './runOptions.ts';
import type { StoredCases } from './stored.ts';
import { Unwritten } from './unwritten.ts';

/**
 * Runs cases in this process.
 *
 * @param stored conversations that are judged again instead
 */
export function runHere(
  exchanges: Exchanges,
  options: RunOptions,
  stored?: StoredCases,
): CaseRunner {
  return {
    run: (planned) => runCase(planned, exchanges, options, stored),
    // One program at a time has the debugger.
    atOnce: options.attach ? 1 : options.concurrency,
    get stopped() {
      return exchanges.stopped;
    },
  };
}

/** Runs cases whose run is another's, who keeps the record. */
export interface OpenRunner extends CaseRunner {
  /** Ends the programs of targets. */
  close(): Promise<void>;
}

/** @throws RunRefusedError, RecordingError, UnwritableError */
export async function openRunner(options: RunOptions): Promise<OpenRunner> {
  const homes = findHomes(options.suites);
  const exchanges = await Exchanges.open(options, homes, new Unwritten(options.log));
  const runner = runHere(exchanges, options);
  return {
    run: runner.run,
    atOnce: runner.atOnce,
    get stopped() {
      return exchanges.stopped;
    },
    close: () => exchanges.close(),
  };
}
