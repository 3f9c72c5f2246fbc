import { type Command, InvalidArgumentError, Option } from 'commander';
import { listed } from '../../core/text/listed.ts';
import type { AgreementOptions } from '../commands/agreementCommand.ts';
import type { CompareOptions } from '../commands/compareCommand.ts';
import type { NoiseOptions } from '../commands/noiseCommand.ts';
import type { ExitCode } from '../exitCode.ts';
import { RUN_WORDS } from '../namedRun.ts';
import { onFiles } from '../selecting.ts';
import type { Shell } from '../shell.ts';
import { type Least, MEASURES } from './measures.ts';
import { reportFormat } from './reportFormat.ts';

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
      const { compare } = await import('../commands/compareCommand.ts');
      done(await compare(base, head, options, shell));
    });
}

export function addAgreement(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  onFiles(program, 'agreement', 'tell how well judges agree with the labels of people')
    .addOption(reportFormat())
    .option('--thresholds', 'also tell which threshold of each assertion agrees best')
    .addOption(
      new Option(
        '--fail-under <measure=value>',
        `exit with 1 where a judge stays below it on an assertion: ${listed(MEASURES, 'or')}, such as kappa=0.7; repeatable`,
      ).argParser(least),
    )
    .action(async (globs: string[], options: AgreementOptions) => {
      const { agreement } = await import('../commands/agreementCommand.ts');
      done(await agreement(globs, options, shell));
    });
}

export function addNoise(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  program
    .command('noise')
    .description('tell how often judges change their verdicts on the same conversation')
    .argument(
      '[runs...]',
      `${RUN_WORDS} (default: the last 20 runs of the files under this folder)`,
    )
    .addOption(reportFormat())
    .action(async (names: string[], options: NoiseOptions) => {
      const { noise } = await import('../commands/noiseCommand.ts');
      done(await noise(names, options, shell));
    });
}

function least(value: string, earlier: readonly Least[] = []): Least[] {
  const [name, number = ''] = value.split('=');
  const measure = MEASURES.find((one) => one === name);
  if (!measure || number.trim() === '' || !(Number(number) >= -1 && Number(number) <= 1)) {
    throw new InvalidArgumentError(
      `Expected ${listed(MEASURES, 'or')} and a number up to 1, such as kappa=0.7.`,
    );
  }
  return [...earlier, { measure, value: Number(number) }];
}
