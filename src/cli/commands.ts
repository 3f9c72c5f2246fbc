import { type Argument, Command, CommanderError, type Option } from 'commander';
import { ReasonedError, stackText } from '../core/errors.ts';
import { visibleText } from '../core/text/visibleText.ts';
import { UnwritableError } from '../disk/fileErrors.ts';
import { MlflowError } from '../interop/mlflow/mlflowError.ts';
import { QueueError } from '../queue/redis.ts';
import { RECORD_NAME } from '../store/records/write.ts';
import type { AgreementOptions } from './commands/agreementCommand.ts';
import type { CheckOptions } from './commands/checkCommand.ts';
import type { CompareOptions } from './commands/compareCommand.ts';
import type { GenerateOptions } from './commands/generateCommand.ts';
import type { ImportOptions } from './commands/importCommand.ts';
import type { JudgesOptions } from './commands/judgesCommand.ts';
import type { MergeOptions } from './commands/mergeCommand.ts';
import type { PullOptions } from './commands/mlflowCommand.ts';
import type { NoiseOptions } from './commands/noiseCommand.ts';
import type { PlanOptions } from './commands/planCommand.ts';
import type { SaveOptions } from './commands/saveCommand.ts';
import type { WorkerOptions } from './commands/workerCommand.ts';
import { EXIT, EXIT_MEANINGS, type ExitCode, UsageError } from './exitCode.ts';
import type { RunCommandOptions } from './options.ts';
import * as options from './options.ts';
import type { Shell } from './shell.ts';
import { ownVersion } from './version.ts';

type Globs = readonly string[];

/** A command in the table. Its implementation is imported lazily, when the command runs. */
interface CommandEntry {
  readonly name: string;
  readonly description: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** Text after the help. */
  readonly after?: string;
  readonly commands?: readonly CommandEntry[];
  /** Gets the arguments, then the options. Absent if only the commands below it do something. */
  work?(...given: never[]): Promise<ExitCode>;
}

/** Every command, in the order in which the help shows them. */
function commandsOf(shell: Shell): readonly CommandEntry[] {
  return [
    {
      name: 'run',
      description: 'run cases',
      arguments: [options.GLOBS],
      options: options.RUN_OPTIONS,
      after: `\nExit codes: ${exitCodes()}.`,
      work: async (globs: Globs, given: RunCommandOptions) =>
        (await import('./commands/runCommand.ts')).run(globs, given, shell),
    },
    {
      name: 'judge',
      description:
        'judge the conversations of a run again with the current files, without calling the agent',
      arguments: [options.RUN],
      options: options.JUDGE_OPTIONS,
      work: async (run: string | undefined, given: RunCommandOptions) => {
        const judged = { ...given, judgeAgain: run ?? (true as const) };
        return (await import('./commands/runCommand.ts')).run([], judged, shell);
      },
    },
    {
      name: 'merge',
      description: 'merge the records of several runs, such as shards, into one',
      arguments: [options.RECORDS],
      options: options.MERGE_OPTIONS,
      work: async (records: Globs, given: MergeOptions) =>
        (await import('./commands/mergeCommand.ts')).merge(records, given, shell),
    },
    {
      name: 'compare',
      description: 'compare two runs: what improved, what got worse, and whether it is significant',
      arguments: [options.BASE, options.HEAD],
      options: options.COMPARE_OPTIONS,
      work: async (base: string, head: string, given: CompareOptions) =>
        (await import('./commands/compareCommand.ts')).compare(base, head, given, shell),
    },
    {
      name: 'agreement',
      description: 'show how well judges agree with the labels of people',
      arguments: [options.GLOBS],
      options: options.AGREEMENT_OPTIONS,
      work: async (globs: Globs, given: AgreementOptions) =>
        (await import('./commands/agreementCommand.ts')).agreement(globs, given, shell),
    },
    {
      name: 'noise',
      description: 'show how often judges change their verdicts on the same conversation',
      arguments: [options.RUNS],
      options: [options.REPORT_FORMAT],
      work: async (runs: Globs, given: NoiseOptions) =>
        (await import('./commands/noiseCommand.ts')).noise(runs, given, shell),
    },
    {
      name: 'judges',
      description: 'judge labeled conversations again, and compare the judges with people',
      arguments: [options.JUDGES],
      options: options.JUDGES_OPTIONS,
      work: async (judges: Globs, given: JudgesOptions) =>
        (await import('./commands/judgesCommand.ts')).judges(judges, given, shell),
    },
    {
      name: 'worker',
      description: 'run cases for other machines, from the queue of `run --queue`',
      options: options.WORKER_OPTIONS,
      work: async (given: WorkerOptions) =>
        (await import('./commands/workerCommand.ts')).work(given, shell),
    },
    {
      name: 'check',
      description: 'validate files without running anything',
      arguments: [options.GLOBS],
      options: [options.FORMAT],
      work: async (globs: Globs, given: CheckOptions) =>
        (await import('./commands/checkCommand.ts')).check(globs, given, shell),
    },
    {
      name: 'list',
      description: 'list the cases of each file',
      arguments: [options.GLOBS],
      work: async (globs: Globs) => (await import('./commands/listCommand.ts')).list(globs, shell),
    },
    {
      name: 'plan',
      description: 'estimate the requests, tokens, and cost of a run',
      arguments: [options.GLOBS],
      options: options.PLAN_OPTIONS,
      work: async (globs: Globs, given: PlanOptions) =>
        (await import('./commands/planCommand.ts')).plan(globs, given, shell),
    },
    {
      name: 'import',
      description: 'create eval files from chat logs, traces, and the files of other tools',
      arguments: [options.IMPORTED],
      options: options.WRITING,
      work: async (files: Globs, given: ImportOptions) =>
        (await import('./commands/importCommand.ts')).importFiles(files, given, shell),
    },
    {
      name: 'save',
      description: 'save the last simulated conversation of a case as a new case in its file',
      arguments: [options.EVAL_FILE],
      options: options.SAVE_OPTIONS,
      work: async (file: string, given: SaveOptions) =>
        (await import('./commands/saveCommand.ts')).save(file, given, shell),
    },
    {
      name: 'generate',
      description: 'let a model draft cases for you to edit',
      arguments: [options.CONVERSATIONS_ARGUMENT],
      options: options.GENERATE_OPTIONS,
      work: async (files: Globs, given: GenerateOptions) =>
        (await import('./commands/generateCommand.ts')).generate(files, given, shell),
    },
    {
      name: 'trust',
      description: 'allow API keys to be sent to other hosts, in this and later runs',
      arguments: [options.HOSTS],
      work: async (hosts: Globs) => (await import('./hosts.ts')).trust(hosts, shell),
    },
    {
      name: 'cache',
      description: 'show where cached answers are stored, and their size',
      work: async () => (await import('./commands/cacheCommand.ts')).showCache(shell),
      commands: [
        {
          name: 'clear',
          description: 'delete all cached answers',
          work: async () => (await import('./commands/cacheCommand.ts')).clearCache(shell),
        },
      ],
    },
    {
      name: 'mlflow',
      description: 'exchange sessions and verdicts with the MLflow server at MLFLOW_TRACKING_URI',
      commands: [
        {
          name: 'pull',
          description: 'create an eval file from the sessions of an experiment',
          arguments: [options.EXPERIMENT],
          options: options.PULL_OPTIONS,
          work: async (experiment: string, given: PullOptions) =>
            (await import('./commands/mlflowCommand.ts')).pull(experiment, given, shell),
        },
        {
          name: 'push',
          description:
            'send the verdicts of the newest run to MLflow, as assessments and an evaluation run',
          arguments: [options.PULLED],
          work: async (globs: Globs) =>
            (await import('./commands/mlflowCommand.ts')).push(globs, shell),
        },
      ],
    },
    {
      name: 'lsp',
      description: 'start the language server, for any editor',
      options: [options.STDIO],
      work: async () => {
        await import('../server/main.ts');
        // The server ends the process itself when its client exits or disconnects.
        return new Promise(() => {});
      },
    },
  ];
}

/**
 * Runs one command line.
 *
 * @param args the arguments after the program's name
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
    return reportError(error, shell);
  }
}

/** Writes what went wrong, by the user or in Turnlight. @returns the exit code for it */
export function reportError(error: unknown, shell: Shell): ExitCode {
  // The help and the version end as errors with code 0; their text is already written.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.passed : EXIT.invalid;
  if (error instanceof UsageError || error instanceof ReasonedError) {
    shell.err.write(`${visibleText(error.message)}\n`);
    if (error instanceof QueueError && error.reason === 'bad-address') return EXIT.invalid;
    if (error instanceof MlflowError || error instanceof QueueError) return EXIT.errored;
    if (!(error instanceof UnwritableError)) return EXIT.invalid;
    if (error.what === RECORD_NAME) shell.err.write('Or run without a record: --no-save.\n');
    return EXIT.unwritten;
  }
  shell.err.write(`Internal error. Please report it.\n${visibleText(stackText(error))}\n`);
  return EXIT.unwritten;
}

/** Every command with its options; the reference is generated from it, too. */
export function createProgram(shell: Shell, done: (code: ExitCode) => void): Command {
  const program = new Command('turnlight')
    .description('Conversation evals: run cases, check files, serve editors.')
    .version(ownVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.out.write(text),
      writeErr: (text) => shell.err.write(text),
    });
  for (const entry of commandsOf(shell)) add(program, entry, done);
  nameHelp(program, program.name());
  return program;
}

function add(parent: Command, entry: CommandEntry, done: (code: ExitCode) => void): void {
  const command = parent.command(entry.name).description(entry.description);
  for (const one of entry.arguments ?? []) command.addArgument(one);
  for (const one of entry.options ?? []) command.addOption(one);
  if (entry.after !== undefined) command.addHelpText('after', entry.after);
  const { work } = entry;
  if (work) command.action(async (...given) => done(await work(...(given as never[]))));
  for (const one of entry.commands ?? []) add(command, one, done);
}

/** A mistake leads to the help of the command that it was made in. */
function nameHelp(command: Command, path: string): void {
  const what = command.commands.length > 0 ? 'commands and options' : 'its options';
  command.showHelpAfterError(`Run ${path} --help for ${what}.`);
  for (const one of command.commands) nameHelp(one, `${path} ${one.name()}`);
}

function exitCodes(): string {
  return Object.entries(EXIT)
    .map(([name, code]) => `${code} ${EXIT_MEANINGS[name as keyof typeof EXIT]}`)
    .join(', ');
}
