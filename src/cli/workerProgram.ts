import { type Command, Option } from 'commander';
import type { WorkerOptions } from './commands/workerCommand.ts';
import type { ExitCode } from './exitCode.ts';
import { collect, count } from './optionParsers.ts';
import type { Shell } from './shell.ts';

/** The command that runs other machines' cases. */
export function addWorker(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  program
    .command('worker')
    .description('run cases of runs on other machines: those of `run --queue`')
    .addOption(queueOption().makeOptionMandatory())
    .addOption(count('--concurrency <n>', 'how many cases to run in parallel', 4))
    .option('--dotenv <file>', 'set the variables of this file, such as .env, that are not set')
    .option('--judge <model>', 'use this judge instead: provider:model, or a name from the file')
    .option('--base-url <url>', 'use this endpoint for the judge instead')
    .option(
      '--allow-host <host[=variables]>',
      'let this host have keys, of all variables or of these; repeatable',
      collect,
    )
    .action(async (options: WorkerOptions) => {
      const { work } = await import('./commands/workerCommand.ts');
      done(await work(options, shell));
    });
}

export function queueOption(): Option {
  return new Option(
    '--queue [url]',
    'the queue on a Redis or Valkey, such as redis://localhost:6379 (default: TURNLIGHT_QUEUE)',
  );
}
