import { Command, CommanderError, type Option } from 'commander';
import { ReasonedError, stackText } from '../core/errors.ts';
import { visibleText } from '../core/text/visibleText.ts';
import { UnwritableError } from '../disk/fileErrors.ts';
import { DEFAULT_PATH } from '../evalfile/evalFilePath.ts';
import { MlflowError } from '../interop/mlflow/mlflowError.ts';
import { QueueError } from '../queue/redis.ts';
import { RECORD_NAME } from '../store/records/write.ts';
import { EXIT, EXIT_MEANINGS, type ExitCode, UsageError } from './exitCode.ts';
import * as options from './options.ts';
import type { Shell } from './shell.ts';
import { ownVersion } from './version.ts';

interface CommandEntry {
  readonly name: string;
  readonly description: string;
  /** Descriptions of the arguments, by name. */
  readonly arguments?: Readonly<Record<string, string>>;
  readonly options?: readonly Option[];
  /** Text to show after the help. */
  readonly after?: string;
  /** The page of the documentation to name in the help. Default: the reference. */
  readonly page?: string;
  readonly commands?: readonly CommandEntry[];
  /**
   * Imports the function that runs the command with the arguments, any options, and the shell. Absent if there are only
   * subcommands.
   */
  load?(): Promise<(...given: never[]) => Promise<ExitCode>>;
}

const GLOBS = {
  '[globs...]':
    'eval files, folders, or globs (default: every *.eval.yaml and *.eval.yml under this folder)',
};

/** All commands, in the order in which the help lists them. */
const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    page: 'guides/first-eval',
    description: 'create a first eval file, and an agent to replace with yours',
    arguments: { '[file]': `file to create (default: ${DEFAULT_PATH})` },
    options: options.INIT_OPTIONS,
    load: async () => (await import('./commands/initCommand.ts')).init,
  },
  {
    name: 'run',
    page: 'guides/ci',
    description: 'run cases',
    arguments: GLOBS,
    options: options.RUN_OPTIONS,
    after: `\nExit codes:\n${exitCodes()}`,
    load: async () => (await import('./commands/runCommand.ts')).run,
  },
  {
    name: 'judge',
    page: 'guides/ci',
    description:
      'judge the conversations of a run again with the current files, without calling the agent',
    arguments: {
      '[run]': 'id or record of the run (default: the last run of the files under this folder)',
    },
    options: options.JUDGE_OPTIONS,
    load: async () => (await import('./commands/runCommand.ts')).judge,
  },
  {
    name: 'merge',
    page: 'guides/ci',
    description: 'merge the records of several runs, such as shards, into one',
    arguments: { '<records...>': 'records, folders, or globs' },
    options: options.MERGE_OPTIONS,
    load: async () => (await import('./commands/mergeCommand.ts')).merge,
  },
  {
    name: 'compare',
    page: 'guides/compare',
    description: 'compare two runs: what improved, what got worse, and whether it is significant',
    arguments: {
      '[base]': `${options.RUN_NAMES} (default: previous)`,
      '[head]': 'run to compare with the base, given in the same way (default: last)',
    },
    options: options.COMPARE_OPTIONS,
    load: async () => (await import('./commands/compareCommand.ts')).compare,
  },
  {
    name: 'agreement',
    page: 'guides/labels',
    description: "show how well judges agree with people's labels",
    arguments: GLOBS,
    options: options.AGREEMENT_OPTIONS,
    load: async () => (await import('./commands/agreementCommand.ts')).agreement,
  },
  {
    name: 'noise',
    page: 'guides/labels',
    description: 'show how often judges change their verdicts on the same conversation',
    arguments: {
      '[runs...]': `${options.RUN_NAMES} (default: the last ${options.DEFAULT_NOISE_RUNS} runs of the files under this folder)`,
    },
    options: [options.REPORT_FORMAT],
    load: async () => (await import('./commands/noiseCommand.ts')).noise,
  },
  {
    name: 'judges',
    page: 'guides/labels',
    description: 'judge labeled conversations again, and compare the judges with people',
    arguments: {
      '[judges...]':
        'judge models: provider:model, or names from the files (default: the judges set in the files)',
    },
    options: options.JUDGES_OPTIONS,
    load: async () => (await import('./commands/judgesCommand.ts')).judges,
  },
  {
    name: 'worker',
    page: 'guides/past-one-machine',
    description: 'run cases for other machines, from the queue of `run --queue`',
    options: options.WORKER_OPTIONS,
    load: async () => (await import('./commands/workerCommand.ts')).work,
  },
  {
    name: 'check',
    description: 'validate files without running anything',
    arguments: GLOBS,
    options: [options.FORMAT],
    load: async () => (await import('./commands/checkCommand.ts')).check,
  },
  {
    name: 'list',
    description: 'list the cases of each file',
    arguments: GLOBS,
    load: async () => (await import('./commands/listCommand.ts')).list,
  },
  {
    name: 'plan',
    description: 'estimate the requests, tokens, and cost of a run',
    arguments: GLOBS,
    options: options.PLAN_OPTIONS,
    load: async () => (await import('./commands/planCommand.ts')).plan,
  },
  {
    name: 'import',
    page: 'guides/import',
    description: 'create eval files from chat logs, traces, and files of other tools',
    arguments: {
      '<files...>': 'files to import (JSON, JSON Lines, YAML, or CSV); the format is detected',
    },
    options: options.IMPORT_OPTIONS,
    load: async () => (await import('./commands/importCommand.ts')).importFiles,
  },
  {
    name: 'save',
    page: 'guides/simulated-users',
    description: 'save the last simulated conversation of a case as a new case in its file',
    arguments: { '<file>': 'eval file' },
    options: options.SAVE_OPTIONS,
    load: async () => (await import('./commands/saveCommand.ts')).save,
  },
  {
    name: 'generate',
    page: 'guides/import',
    description: 'let a model draft cases for you to edit',
    arguments: { '[files...]': 'files with real conversations, in the formats of `import`' },
    options: options.GENERATE_OPTIONS,
    load: async () => (await import('./commands/generateCommand.ts')).generate,
  },
  {
    name: 'trust',
    description: 'allow API keys to be sent to other hosts in later runs',
    arguments: {
      '<hosts...>': 'such as llm.example.com, or llm.example.com=OPENAI_API_KEY for only that key',
    },
    load: async () => (await import('./hosts.ts')).trust,
  },
  {
    name: 'traces',
    page: 'guides/traces',
    description: 'print the environment variables that make a service send its spans to runs here',
    options: options.TRACES_OPTIONS,
    load: async () => (await import('./commands/tracesCommand.ts')).traces,
  },
  {
    name: 'cache',
    page: 'guides/cache',
    description: 'show where cached answers are stored, and their size',
    load: async () => (await import('./commands/cacheCommand.ts')).showCache,
    commands: [
      {
        name: 'clear',
        description: 'delete all cached answers',
        load: async () => (await import('./commands/cacheCommand.ts')).clearCache,
      },
    ],
  },
  {
    name: 'mlflow',
    page: 'guides/from-mlflow',
    description: 'exchange sessions and verdicts with the MLflow server at MLFLOW_TRACKING_URI',
    commands: [
      {
        name: 'pull',
        description: 'create an eval file from the sessions of an experiment',
        arguments: { '<experiment>': 'name or id of the experiment' },
        options: options.PULL_OPTIONS,
        load: async () => (await import('./commands/mlflowCommand.ts')).pull,
      },
      {
        name: 'push',
        description:
          'send the verdicts of the newest run to MLflow, as assessments and an evaluation run',
        arguments: { '[globs...]': 'eval files that were pulled (default: all under this folder)' },
        load: async () => (await import('./commands/mlflowCommand.ts')).push,
      },
    ],
  },
  {
    name: 'docs',
    description: 'print a page of the documentation',
    arguments: { '[page]': 'such as guides/ci, or contains (default: the table of contents)' },
    load: async () => (await import('./commands/docsCommand.ts')).docs,
  },
  {
    name: 'lsp',
    page: 'editors',
    description: 'start the language server, for any editor',
    options: [options.STDIO],
    load: async () => {
      await import('../server/main.ts');
      // The server ends the process when its client exits or disconnects.
      return () => new Promise(() => {});
    },
  },
];

/** Runs a command line. @param args arguments without the program's name */
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

/** Reports an error in the user's input or in Turnlight. @returns the exit code for it */
export function reportError(error: unknown, shell: Shell): ExitCode {
  // Help and version requests end in errors with code 0, after their text is written.
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

/** Creates every command with its options. The reference in the docs is also generated from it. */
export function createProgram(shell: Shell, done: (code: ExitCode) => void): Command {
  const program = new Command('turnlight')
    .description('Conversation evals: run cases, check files, serve editors.')
    .version(ownVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.out.write(text),
      writeErr: (text) => shell.err.write(text),
    });
  for (const entry of COMMANDS) add(program, entry, shell, done);
  program.addHelpText('after', '\nDocumentation: turnlight docs [page]');
  nameHelp(program, program.name());
  return program;
}

function add(
  parent: Command,
  entry: CommandEntry,
  shell: Shell,
  done: (code: ExitCode) => void,
): void {
  const { name, description, options: known = [], load, commands = [] } = entry;
  const { page = 'reference/command-line' } = entry;
  const command = parent.command(name).description(description);
  for (const [argument, words] of Object.entries(entry.arguments ?? {})) {
    command.argument(argument, words);
  }
  for (const one of known) command.addOption(one);
  if (entry.after !== undefined) command.addHelpText('after', entry.after);
  command.addHelpText('after', `\nDocumentation: turnlight docs ${page}`);
  if (load) {
    command.action(async () => {
      const work = await load();
      const given = [
        ...command.processedArgs,
        ...(known.length > 0 ? [command.opts()] : []),
        shell,
      ];
      done(await work(...(given as never[])));
    });
  }
  for (const one of commands) add(command, { page, ...one }, shell, done);
}

/** Points to a command's help if the command is misused. */
function nameHelp(command: Command, path: string): void {
  const what = command.commands.length > 0 ? 'commands and options' : 'its options';
  command.showHelpAfterError(`Run ${path} --help for ${what}.`);
  for (const one of command.commands) nameHelp(one, `${path} ${one.name()}`);
}

function exitCodes(): string {
  return Object.entries(EXIT)
    .map(
      ([name, code]) => `  ${String(code).padEnd(4)} ${EXIT_MEANINGS[name as keyof typeof EXIT]}`,
    )
    .join('\n');
}
