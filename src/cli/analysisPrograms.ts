import { type Command, Option } from 'commander';
import type { CompareOptions } from './commands/compareCommand.ts';
import type { ExitCode } from './exitCode.ts';
import { RUN_WORDS } from './namedRun.ts';
import type { Shell } from './shell.ts';

export function addCompare(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  program
    .command('compare')
    .description('tell what became better and worse between two runs, and whether that is chance')
    .argument('[base]', RUN_WORDS, 'previous')
    .argument('[head]', 'the run that it is compared with, named alike', 'last')
    .addOption(
      new Option(
        '--fail-on <what>',
        'exit with 1 if a case is worse, or only if there is evidence that an assertion is',
      ).choices(['worse', 'evidence']),
    )
    .addOption(reportFormat())
    .action(async (base: string, head: string, options: CompareOptions) => {
      const { compare } = await import('./commands/compareCommand.ts');
      done(await compare(base, head, options, shell));
    });
}

function reportFormat(): Option {
  return new Option('--format <format>', 'output format')
    .choices(['terminal', 'markdown', 'json'])
    .default('terminal');
}
