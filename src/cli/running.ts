import { type Command, Option } from 'commander';
import { listed } from '../core/text/listed.ts';
import { REPORTER_NAMES } from '../report/registry.ts';
import { allowHost, amount, count, reporter, share } from './optionParsers.ts';

/** How cases are run, and what becomes of it. */
export function running(command: Command): Command {
  asking(command)
    .addOption(
      count('--timeout <ms>', 'time limit for one reply of a target, in milliseconds', 60_000),
    )
    .option('--record <file>', 'record every exchange with models and targets in this file')
    .option('--replay <file>', 'answer from this recording instead of asking models and targets')
    .addOption(
      new Option(
        '--max-cost <amount>',
        'stop before the run could cost more than this, in the currency of the prices',
      ).argParser(amount),
    );
  return reporting(command)
    .option('--forbid-only', 'refuse to run if a case sets `only` (default: when CI is set)')
    .option('--no-forbid-only', 'allow `only`')
    .option('--no-cache', 'ask anew, and keep no answers for later runs')
    .option('--no-save', 'do not record the run in .turnlight/');
}

/** Who may be asked, and how much at once. */
export function asking(command: Command): Command {
  return command
    .option('--base-url <url>', 'use this endpoint for the judge instead')
    .addOption(allowHost())
    .addOption(
      count(
        '--concurrency <n>',
        'maximum number of conversations at the same time, and of requests in flight per endpoint',
        4,
      ),
    );
}

/** What is told of a run, and what its exit code depends on. */
export function reporting(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--reporter <name[=file]>',
        `${listed(REPORTER_NAMES, 'or')}; repeatable, each with its file (default: terminal)`,
      ).argParser(reporter),
    )
    .option(
      '--output <file>',
      'where the last reporter without a file writes (default: standard output)',
    )
    .addOption(
      new Option(
        '--min-pass-rate <share>',
        'fail only if a smaller share of the cases that pass or fail passes, such as 0.9',
      ).argParser(share),
    );
}
