import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { visibleText } from '../core/presentation/visibleText.ts';
import { ReasonedError } from '../core/reasonedError.ts';
import { EXIT, type ExitCode, UsageError } from './exitCode.ts';
import type { PlanOptions } from './planCommand.ts';
import { REPORTERS } from './reporterNames.ts';
import type { RunCommandOptions } from './runCommand.ts';
import type { Shell } from './shell.ts';
import { ownVersion } from './version.ts';

const FILES = 'eval files, folders or globs; every *.eval.yaml and *.eval.yml here unless given';

/**
 * Runs one command line.
 *
 * @param args what stands after the program's name
 */
export async function runProgram(args: readonly string[], shell: Shell): Promise<ExitCode> {
  let code: ExitCode = EXIT.passed;
  const program = createProgram(shell, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    return explain(error, shell);
  }
}

function explain(error: unknown, shell: Shell): ExitCode {
  // The help and the version end as errors with code 0; their text is written already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.passed : EXIT.invalid;
  if (error instanceof UsageError || error instanceof ReasonedError) {
    shell.err.write(`${visibleText(error.message)}\n`);
    return EXIT.invalid;
  }
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  shell.err.write(`Turnlight failed, which is a mistake of its own. Please report it.\n${words}\n`);
  return EXIT.errored;
}

function createProgram(shell: Shell, done: (code: ExitCode) => void): Command {
  const program = new Command('turnlight')
    .description('Conversation evals: run cases, check files, serve editors.')
    .version(ownVersion())
    .showHelpAfterError('Run turnlight --help for the commands and options.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.out.write(text),
      writeErr: (text) => shell.err.write(text),
    });
  addRun(program, shell, done);
  addCheck(program, shell, done);
  addList(program, shell, done);
  addPlan(program, shell, done);
  addLsp(program);
  return program;
}

function addRun(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  program
    .command('run')
    .description('run cases')
    .argument('[globs...]', FILES)
    .option('--case <id>', 'run this case; may be repeated, and * stands for any text', collect)
    .option('--tag <tag>', 'run the cases with this tag; may be repeated', collect)
    .option(
      '--judge <model>',
      'judge with this model instead: provider:model, or a name in the file',
    )
    .option('--base-url <url>', "the judge's endpoint instead")
    .addOption(count('--concurrency <n>', 'how many cases run side by side', 4))
    .addOption(count('--timeout <ms>', 'milliseconds that one reply of a target may take', 60_000))
    .option('--record <file>', 'write every exchange with models and targets to this recording')
    .option('--replay <file>', 'answer models and targets from this recording')
    .addOption(
      new Option(
        '--reporter <name>',
        'terminal (the default), json or junit; may be repeated',
      ).argParser(reporter),
    )
    .addOption(
      new Option(
        '--max-cost <amount>',
        'ask nothing more before the run could cost more than this, in the currency of the prices',
      ).argParser(amount),
    )
    .option('--output <file>', 'the file of the last json or junit reporter')
    .option('--forbid-only', 'refuse to run while a case says `only`; the default where CI is set')
    .option('--no-forbid-only', 'allow `only`')
    .option('--no-save', 'keep no record of the run in .turnlight/')
    .addHelpText(
      'after',
      '\nExits with 0: all passed, 1: a case failed, 2: a case errored, 3: invalid files or usage, 130: cancelled.',
    )
    .action(async (globs: string[], options: RunCommandOptions) => {
      const { run } = await import('./runCommand.ts');
      done(await run(globs, options, shell));
    });
}

function addCheck(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  program
    .command('check')
    .description('validate files without running anything')
    .argument('[globs...]', FILES)
    .addOption(
      new Option('--format <format>', 'how to print problems')
        .choices(['text', 'json'])
        .default('text'),
    )
    .action(async (globs: string[], options: { readonly format: 'text' | 'json' }) => {
      const { check } = await import('./checkCommand.ts');
      done(await check(globs, options, shell));
    });
}

function addList(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  program
    .command('list')
    .description('list the cases of each file')
    .argument('[globs...]', FILES)
    .action(async (globs: string[]) => {
      const { list } = await import('./listCommand.ts');
      done(await list(globs, shell));
    });
}

function addPlan(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  program
    .command('plan')
    .description('say how many requests and tokens a run would take and what it would cost')
    .argument('[globs...]', FILES)
    .option('--case <id>', 'plan this case; may be repeated, and * stands for any text', collect)
    .option('--tag <tag>', 'plan the cases with this tag; may be repeated', collect)
    .option('--judge <model>', 'with this judge instead: provider:model, or a name in the file')
    .addOption(
      new Option('--format <format>', 'how to print it').choices(['text', 'json']).default('text'),
    )
    .action(async (globs: string[], options: PlanOptions) => {
      const { plan } = await import('./planCommand.ts');
      done(await plan(globs, options, shell));
    });
}

function addLsp(program: Command): void {
  program
    .command('lsp')
    .description('language server for any editor')
    .requiredOption('--stdio', 'speak over standard input and output')
    .action(async () => {
      await import('../server/main.ts');
      // The server ends the process itself, when its client says so or goes away.
      await new Promise(() => {});
    });
}

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

function reporter(value: string, earlier: readonly string[] | undefined): string[] {
  if (!REPORTERS.some((name) => name === value)) {
    throw new InvalidArgumentError(`Choose one of ${REPORTERS.join(', ')}.`);
  }
  return collect(value, earlier);
}

function amount(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number) || number <= 0) {
    throw new InvalidArgumentError('Give an amount greater than 0.');
  }
  return number;
}

function count(flags: string, description: string, byDefault: number): Option {
  return new Option(flags, description).default(byDefault).argParser((value) => {
    const number = Number(value);
    if (!Number.isSafeInteger(number) || number < 1) {
      throw new InvalidArgumentError('Give a whole number from 1.');
    }
    return number;
  });
}
