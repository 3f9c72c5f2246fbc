import type { Command } from 'commander';
import type { MergeOptions } from './commands/mergeCommand.ts';
import type { RunCommandOptions } from './commands/runCommandOptions.ts';
import type { ExitCode } from './exitCode.ts';
import { reporting, running } from './running.ts';
import { selecting } from './selecting.ts';
import type { Shell } from './shell.ts';

export function addJudge(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  const judge = program
    .command('judge')
    .description('judge the conversations of a run again, as the files now say, without the agent')
    .argument('[run]', 'its id or record (default: the last run of the files under this folder)');
  running(selecting(judge, 'judge')).action(
    async (named: string | undefined, options: RunCommandOptions) => {
      const { run } = await import('./commands/runCommand.ts');
      done(await run([], { ...options, judgeAgain: named ?? true }, shell));
    },
  );
}

export function addMerge(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  const merge = program
    .command('merge')
    .description('make one run of the records of several, such as those of --shard')
    .argument('<records...>', 'records, folders or globs');
  reporting(merge)
    .option('--no-save', 'do not record the merged run in .turnlight/')
    .action(async (records: string[], options: MergeOptions) => {
      const { merge: mergeRecords } = await import('./commands/mergeCommand.ts');
      done(await mergeRecords(records, options, shell));
    });
}
