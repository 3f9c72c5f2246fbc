import { Command, CommanderError, Option } from 'commander';
import { ReasonedError, stackText } from '../core/errors.ts';
import { visibleText } from '../core/presentation/visibleText.ts';
import { UnwritableError } from '../disk/unwritable.ts';
import { MlflowError } from '../interop/mlflow/mlflowError.ts';
import { QueueError } from '../queue/queueError.ts';
import { RECORD } from '../store/records/write.ts';
import type { GenerateOptions } from './commands/generateCommand.ts';
import type { ImportOptions } from './commands/importCommand.ts';
import type { PullOptions } from './commands/mlflowCommand.ts';
import type { PlanOptions } from './commands/planCommand.ts';
import type { RunCommandOptions } from './commands/runCommandOptions.ts';
import type { SaveOptions } from './commands/saveCommand.ts';
import { EXIT, EXIT_MEANINGS, type ExitCode, UsageError } from './exitCode.ts';
import { addJudges } from './findings/judgesProgram.ts';
import { addAgreement, addCompare, addNoise } from './findings/programs.ts';
import { allowHost, collect, count, dotenv, format } from './optionParsers.ts';
import { addJudge, addMerge } from './recordPrograms.ts';
import { running } from './running.ts';
import { onFiles, selecting } from './selecting.ts';
import { shard } from './shards.ts';
import type { Shell } from './shell.ts';
import { ownVersion } from './version.ts';
import { addWorker, queueOption } from './workerProgram.ts';

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

/** Tells of a mistake of the user's, or of ours. */
export function explain(error: unknown, shell: Shell): ExitCode {
  // The help and the version end as errors with code 0; their text is written already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.passed : EXIT.invalid;
  if (error instanceof UsageError || error instanceof ReasonedError) {
    shell.err.write(`${visibleText(error.message)}\n`);
    if (error instanceof QueueError && error.reason === 'bad-address') return EXIT.invalid;
    if (error instanceof MlflowError || error instanceof QueueError) return EXIT.errored;
    if (!(error instanceof UnwritableError)) return EXIT.invalid;
    if (error.what === RECORD) shell.err.write('Or run without a record: --no-save.\n');
    return EXIT.unwritten;
  }
  shell.err.write(`Internal error. Please report it.\n${visibleText(stackText(error))}\n`);
  return EXIT.unwritten;
}

/** Every command with its options; the reference is made from it too. */
export function createProgram(shell: Shell, done: (code: ExitCode) => void): Command {
  const program = new Command('turnlight')
    .description('Conversation evals: run cases, check files, serve editors.')
    .version(ownVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.out.write(text),
      writeErr: (text) => shell.err.write(text),
    });
  addRun(program, shell, done);
  addJudge(program, shell, done);
  addMerge(program, shell, done);
  addCompare(program, shell, done);
  addAgreement(program, shell, done);
  addNoise(program, shell, done);
  addJudges(program, shell, done);
  addWorker(program, shell, done);
  addCheck(program, shell, done);
  addList(program, shell, done);
  addPlan(program, shell, done);
  addImport(program, shell, done);
  addSave(program, shell, done);
  addGenerate(program, shell, done);
  addTrust(program, shell, done);
  addCache(program, shell, done);
  addMlflow(program, shell, done);
  addLsp(program);
  nameHelp(program, program.name());
  return program;
}

/** A mistake leads to the help of the command that it was made in. */
function nameHelp(command: Command, path: string): void {
  const what = command.commands.length > 0 ? 'commands and options' : 'its options';
  command.showHelpAfterError(`Run ${path} --help for ${what}.`);
  for (const one of command.commands) nameHelp(one, `${path} ${one.name()}`);
}

function addRun(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  running(selecting(onFiles(program, 'run', 'run cases'), 'run'))
    .addOption(
      new Option(
        '--shard <part/of>',
        'run only this part of the cases, such as 2/3, so that several machines share a run',
      ).argParser(shard),
    )
    .option('--only-failed', 'run only the cases that failed when they last ran')
    .option('--only-errors', 'run only those that errored; with --only-failed, both')
    .option(
      '--resume [run]',
      'continue the last run of these files that was killed or cancelled, or the one with this id or record',
    )
    .addOption(queueOption().conflicts(['concurrency', 'record', 'replay', 'baseUrl', 'allowHost']))
    .addHelpText(
      'after',
      `\nExit codes: ${Object.entries(EXIT)
        .map(([name, code]) => `${code} ${EXIT_MEANINGS[name as keyof typeof EXIT]}`)
        .join(', ')}.`,
    )
    .action(async (globs: string[], options: RunCommandOptions) => {
      const { run } = await import('./commands/runCommand.ts');
      done(await run(globs, options, shell));
    });
}

function addCheck(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  onFiles(program, 'check', 'validate files without running anything')
    .addOption(format())
    .action(async (globs: string[], options: { readonly format: 'text' | 'json' }) => {
      const { check } = await import('./commands/checkCommand.ts');
      done(await check(globs, options, shell));
    });
}

function addList(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  onFiles(program, 'list', 'list the cases of each file').action(async (globs: string[]) => {
    const { list } = await import('./commands/listCommand.ts');
    done(await list(globs, shell));
  });
}

function addPlan(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  selecting(onFiles(program, 'plan', 'estimate the requests, tokens and cost of a run'), 'plan')
    .addOption(format())
    .action(async (globs: string[], options: PlanOptions) => {
      const { plan } = await import('./commands/planCommand.ts');
      done(await plan(globs, options, shell));
    });
}

function addImport(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  program
    .command('import')
    .description('make eval files of chat logs, traces and the files of other tools')
    .argument('<files...>', 'JSON, JSON lines, YAML or CSV; what it is of is found out')
    .option('--output <file>', 'the eval file to write (default: beside the file, called like it)')
    .option('--force', 'write over an eval file that is there')
    .action(async (files: string[], options: ImportOptions) => {
      const { importFiles } = await import('./commands/importCommand.ts');
      done(await importFiles(files, options, shell));
    });
}

function addSave(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  program
    .command('save')
    .description(
      'write the last simulated conversation of a case into its file, as a case of its own',
    )
    .argument('<file>', 'the eval file')
    .requiredOption('--case <id>', 'the simulated case, or one of its variants (id/variant)')
    .addOption(
      new Option('--as <kind>', "the user's words as `turns`, or all of it as a `transcript`")
        .choices(['turns', 'transcript'])
        .default('turns'),
    )
    .addOption(count('--repetition <n>', 'which repetition of the case', 1))
    .action(async (file: string, options: SaveOptions) => {
      const { save } = await import('./commands/saveCommand.ts');
      done(await save(file, options, shell));
    });
}

function addGenerate(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  program
    .command('generate')
    .description('draft cases by a model, for you to edit')
    .argument('[files...]', 'files of real conversations, as `import` reads them')
    .option('--system <file>', 'the system prompt of what is tested')
    .option('--model <model>', 'the model that drafts: provider:model (default: TURNLIGHT_JUDGE)')
    .option('--base-url <url>', 'use this endpoint for the model instead')
    .addOption(allowHost())
    .addOption(dotenv())
    .addOption(count('--count <n>', 'how many cases to draft', 5))
    .option('--output <file>', 'the eval file to write (default: beside the file, called like it)')
    .option('--force', 'write over an eval file that is there')
    .option('--record <file>', 'record the exchange with the model in this file')
    .option('--replay <file>', 'answer from this recording instead of asking the model')
    .action(async (files: string[], options: GenerateOptions) => {
      const { generate } = await import('./commands/generateCommand.ts');
      done(await generate(files, options, shell));
    });
}

function addTrust(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  program
    .command('trust')
    .description("let hosts other than a provider's own have keys, in this and later runs")
    .argument(
      '<hosts...>',
      'such as llm.example.com, or llm.example.com=OPENAI_API_KEY for that key alone',
    )
    .action(async (hosts: string[]) => {
      const { trust } = await import('./hosts.ts');
      done(await trust(hosts, shell));
    });
}

function addCache(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  const cache = program
    .command('cache')
    .description('tell where answers of earlier runs are kept, and how much they take')
    .action(async () => {
      const { tellCache } = await import('./commands/cacheCommand.ts');
      done(await tellCache(shell));
    });
  cache
    .command('clear')
    .description('remove all answers of earlier runs that are kept')
    .action(async () => {
      const { clearCache } = await import('./commands/cacheCommand.ts');
      done(await clearCache(shell));
    });
}

function addMlflow(program: Command, shell: Shell, done: (code: ExitCode) => void): void {
  const mlflow = program
    .command('mlflow')
    .description('exchange sessions and verdicts with the MLflow server at MLFLOW_TRACKING_URI');
  mlflow
    .command('pull')
    .description('write an eval file of the sessions of an experiment')
    .argument('<experiment>', 'its name or id')
    .option('--session <id>', 'pull only this session; repeatable', collect)
    .option('--out <file>', 'the eval file to write (default: EXPERIMENT.eval.yaml)')
    .action(async (experiment: string, options: PullOptions) => {
      const { pull } = await import('./commands/mlflowCommand.ts');
      done(await pull(experiment, options, shell));
    });
  mlflow
    .command('push')
    .description('write the verdicts of the newest run back, as assessments and an evaluation run')
    .argument('[globs...]', 'eval files that were pulled (default: all under this folder)')
    .action(async (globs: string[]) => {
      const { push } = await import('./commands/mlflowCommand.ts');
      done(await push(globs, shell));
    });
}

function addLsp(program: Command): void {
  program
    .command('lsp')
    .description('language server for any editor')
    .requiredOption('--stdio', 'communicate over standard input and output')
    .action(async () => {
      await import('../server/main.ts');
      // The server ends the process itself, when its client says so or goes away.
      await new Promise(() => {});
    });
}
