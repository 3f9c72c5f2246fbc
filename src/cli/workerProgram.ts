import { type Command, Option } from 'commander';
import type { WorkerOptions } from './commands/workerCommand.ts';
import type { ExitCode } from './exitCode.ts';
import { asking } from './running.ts';
import { judging } from './selecting.ts';
import type { Shell } from './shell.ts';

/** The command that runs other machines' cases. */
export function addWorker(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  const worker = program
    .command('worker')
    .description('run cases of runs on other machines: those of `run --queue`')
    .addOption(queueOption().makeOptionMandatory());
  asking(judging(worker)).action(async (options: WorkerOptions) => {
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
