import type { Command } from 'commander';
import { Option } from 'commander';
import type { JudgesOptions } from '../commands/judgesCommand.ts';
import type { ExitCode } from '../exitCode.ts';
import { amount, collect, count, dotenv } from '../optionParsers.ts';
import { asking } from '../running.ts';
import type { Shell } from '../shell.ts';
import { reportFormat } from './reportFormat.ts';

export function addJudges(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  const judges = program
    .command('judges')
    .description('let judges judge the labelled conversations, and compare them with people')
    .argument(
      '[judges...]',
      'provider:model, or names from the files (default: the judges of the files)',
    )
    .option(
      '--file <glob>',
      'eval file, folder or glob; repeatable (default: all under this folder)',
      collect,
    )
    .option('--examples', 'each judge twice: without and with labelled conversations as examples')
    .addOption(count('--folds <n>', 'so many parts; the examples of each come from the others', 5))
    .addOption(reportFormat())
    .addOption(dotenv());
  asking(judges)
    .addOption(
      new Option(
        '--max-cost <amount>',
        'ask no more than could cost this, in the currency of the prices',
      ).argParser(amount),
    )
    .option('--yes', 'do not ask at a terminal whether to go on')
    .option('--record <file>', 'record every exchange with judges in this file')
    .option('--replay <file>', 'answer from this recording instead of asking judges')
    .option('--no-cache', 'ask anew, and keep no answers')
    .action(async (named: string[], options: JudgesOptions) => {
      const { judges: run } = await import('../commands/judgesCommand.ts');
      done(await run(named, options, shell));
    });
}
