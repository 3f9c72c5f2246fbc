import { InvalidArgumentError, Option } from 'commander';
import { QUEUE_VARIABLE } from '../core/environment.ts';
import { formatList } from '../core/text/format.ts';
import { REPORTER_NAMES, type ReporterName } from '../report/registry.ts';
import { DEFAULT_CONCURRENCY, DEFAULT_TIMEOUT, DEFAULT_TRACES_PORT } from '../runner/runOptions.ts';
import { UsageError } from './exitCode.ts';
import type { Shell } from './shell.ts';

/** The default judge, and the default model for drafting cases. */
export const JUDGE_VARIABLE = 'TURNLIGHT_JUDGE';

export const EXAMPLE_MODEL = 'openai:gpt-5-mini';

export const INIT_TARGETS = ['function', 'program', 'service', 'model', 'transcript'] as const;

export const DEFAULT_NOISE_RUNS = 20;

export const RUN_NAMES =
  'a run id, a run record, `last`, `previous`, or a commit or branch (meaning its last run)';

export const MEASURES = ['kappa', 'accuracy', 'precision', 'recall', 'alpha'] as const;

/** The lowest acceptable value of a measure. */
export interface Least {
  readonly measure: (typeof MEASURES)[number];
  readonly value: number;
}

/** A reporter and its file: `junit`, or `junit=evals.xml`. */
export interface ChosenReporter {
  readonly name: ReporterName;
  readonly file?: string;
}

export const DEFAULT_REPORTERS: readonly ChosenReporter[] = [{ name: 'terminal' }];

export interface Shard {
  readonly part: number;
  readonly of: number;
}

export interface Recordings {
  readonly record?: string;
  readonly replay?: string;
}

export interface RunCommandOptions extends Recordings {
  readonly case?: readonly string[];
  readonly tag?: readonly string[];
  readonly limit?: number;
  readonly onlyFailed?: boolean;
  readonly onlyErrors?: boolean;
  readonly shard?: Shard;
  readonly judge?: string;
  /** Replaces the targets of all cases. */
  readonly target?: string;
  readonly dotenv?: string;
  readonly baseUrl?: string;
  readonly allowHost?: readonly string[];
  readonly concurrency: number;
  /** Milliseconds. */
  readonly timeout: number;
  /** Absent for `judge`, which runs no target. */
  readonly tracesPort?: number;
  /** The id or record of the run to resume, or true for the last run. */
  readonly resume?: string | true;
  /** The id or record of the run to judge again, or true for the last run. */
  readonly judgeAgain?: string | true;
  /** The address of a queue; true for the one set in the environment. */
  readonly queue?: string | true;
  /** Default: `DEFAULT_REPORTERS`. */
  readonly reporter?: readonly ChosenReporter[];
  readonly output?: string;
  /** In the currency of the prices. */
  readonly maxCost?: number;
  /** The required share of passing cases among those that pass or fail, 0..1. */
  readonly minPassRate?: number;
  /** Default: true if `CI` is set. */
  readonly forbidOnly?: boolean;
  readonly save: boolean;
  readonly cache: boolean;
}

// Lists are in the order of the help.

export const FORMAT = format(['text', 'json']);
export const REPORT_FORMAT = format(['terminal', 'markdown', 'json']);

/** Options of `run` and `traces`, which must agree. */
const TRACES_PORT = count(
  '--traces-port <port>',
  'port on this machine that receives the spans of services with `traces`',
  DEFAULT_TRACES_PORT,
);

export const TRACES_OPTIONS: readonly Option[] = [TRACES_PORT];

const DOTENV = new Option(
  '--dotenv <file>',
  'load environment variables from this file, such as .env; existing ones are kept',
);

const BASE_URL = '--base-url <url>';
const RECORD = '--record <file>';
const REPLAY = '--replay <file>';
const NO_SAVE = '--no-save';

const ALLOW_HOST = new Option(
  '--allow-host <host[=variables]>',
  'allow all API keys, or only these variables, to be sent to this host; repeatable',
).argParser(collect);

const TARGET = new Option(
  '--target <name>',
  'let this target of the file answer in all cases, instead of their own and of `variants`',
);

export const JUDGING: readonly Option[] = [
  DOTENV,
  new Option(
    '--judge <model>',
    'use this judge instead of those in the files: provider:model, or a name from the file',
  ),
];

export const ENDPOINTS: readonly Option[] = [
  new Option(BASE_URL, 'use this endpoint for the judge'),
  ALLOW_HOST,
  count(
    '--concurrency <n>',
    'maximum number of conversations at the same time, and of requests in flight per endpoint',
    DEFAULT_CONCURRENCY,
  ),
];

export const REPORTING: readonly Option[] = [
  new Option(
    '--reporter <name[=file]>',
    `${formatList(REPORTER_NAMES, 'or')}; repeatable, each with its own file (default: ${DEFAULT_REPORTERS.map(({ name }) => name).join()})`,
  ).argParser(reporter),
  new Option(
    '--output <file>',
    'file for the last reporter that has none (default: standard output)',
  ),
  new Option(
    '--min-pass-rate <share>',
    'lowest acceptable pass rate, such as 0.9; below it, exit with 1',
  ).argParser(share),
];

export const RUNNING: readonly Option[] = [
  ...ENDPOINTS,
  count('--timeout <ms>', 'time limit for one reply of a target, in milliseconds', DEFAULT_TIMEOUT),
  new Option(RECORD, 'record every exchange with models and targets in this file'),
  new Option(REPLAY, 'replay this recording instead of calling models and targets'),
  new Option(
    '--max-cost <amount>',
    'stop before the run could cost more than this, in the currency of the prices',
  ).argParser(amount),
  ...REPORTING,
  new Option('--forbid-only', 'refuse to run if a case sets `only` (default: when CI is set)'),
  new Option('--no-forbid-only', 'allow `only`'),
  new Option('--no-cache', 'ignore cached answers, and store none for later runs'),
  new Option(NO_SAVE, 'do not record the run in .turnlight/'),
];

export function selecting(verb: string): readonly Option[] {
  return [
    new Option(
      '--case <id>',
      `${verb} only this case, or one of its variants (id/variant); repeatable, and * matches any text`,
    ).argParser(collect),
    new Option('--tag <tag>', `${verb} only cases with this tag; repeatable`).argParser(collect),
    count('--limit <n>', `${verb} only the first n of the selected cases`),
    ...JUDGING,
  ];
}

export const INIT_OPTIONS: readonly Option[] = [
  new Option('--target <kind>', 'what to test').choices(INIT_TARGETS).default(INIT_TARGETS[0]),
  new Option(
    '--model <model>',
    `model to test with --target model: provider:model (default: the judge, or ${EXAMPLE_MODEL})`,
  ),
  new Option('--judge <model>', `judge: provider:model (default: ${JUDGE_VARIABLE}, or none)`),
];

export const RUN_OPTIONS: readonly Option[] = [
  ...selecting('run'),
  TARGET,
  ...RUNNING,
  new Option(
    '--shard <part/of>',
    'run only this part of the cases, such as 2/3, to split a run across machines',
  ).argParser(shard),
  new Option('--only-failed', 'run only the cases that failed in their last run'),
  new Option(
    '--only-errors',
    'run only the cases that errored in their last run; add --only-failed to include failures',
  ),
  new Option(
    '--resume [run]',
    'continue the last run of these files that was killed or canceled, or the run with this id or record',
  ),
  TRACES_PORT,
  queue().conflicts([
    'concurrency',
    'record',
    'replay',
    'baseUrl',
    'allowHost',
    'target',
    'tracesPort',
  ]),
];

export const JUDGE_OPTIONS: readonly Option[] = [...selecting('judge'), ...RUNNING];

export const MERGE_OPTIONS: readonly Option[] = [
  ...REPORTING,
  new Option(NO_SAVE, 'do not record the merged run in .turnlight/'),
];

export const COMPARE_OPTIONS: readonly Option[] = [
  new Option('--variants', 'compare the variants of the targets in one run (default: last)'),
  new Option(
    '--fail-on <what>',
    'exit with 1 if a case got worse (worse), or only if there is evidence that an assertion did (evidence)',
  ).choices(['worse', 'evidence']),
  REPORT_FORMAT,
];

export const AGREEMENT_OPTIONS: readonly Option[] = [
  REPORT_FORMAT,
  new Option(
    '--thresholds',
    'also show, for each assertion, the threshold that agrees best with the labels',
  ),
  new Option(
    '--fail-under <measure=value>',
    `exit with 1 if a judge is below this value on an assertion: ${formatList(MEASURES, 'or')}, such as kappa=0.7; repeatable`,
  ).argParser(least),
];

export const JUDGES_OPTIONS: readonly Option[] = [
  new Option(
    '--file <glob>',
    'eval file, folder, or glob; repeatable (default: all under this folder)',
  ).argParser(collect),
  new Option(
    '--examples',
    'run each judge twice: without and with labeled conversations as examples',
  ),
  count('--folds <n>', 'number of cross-validation folds', 5),
  REPORT_FORMAT,
  DOTENV,
  ...ENDPOINTS,
  new Option(
    '--max-cost <amount>',
    'stop before the requests could cost more than this, in the currency of the prices',
  ).argParser(amount),
  new Option('--yes', 'continue without asking for confirmation'),
  new Option(RECORD, 'record every exchange with judges in this file'),
  new Option(REPLAY, 'replay this recording instead of calling judges'),
  new Option('--no-cache', 'ignore cached answers, and store none'),
];

export const WORKER_OPTIONS: readonly Option[] = [
  queue().makeOptionMandatory(),
  ...JUDGING,
  ...ENDPOINTS,
];

export const PLAN_OPTIONS: readonly Option[] = [...selecting('plan'), TARGET, FORMAT];

/** Options of commands that write an eval file. */
const WRITING: readonly Option[] = [
  new Option('--output <file>', 'eval file to write (default: NAME.eval.yaml next to the input)'),
  new Option('--force', 'overwrite an existing eval file'),
];

export const IMPORT_OPTIONS: readonly Option[] = [
  ...WRITING,
  new Option(
    '--path <pointer>',
    'where the conversations are in a file of unknown format: a JSON pointer, in which * means each item of a list, such as /data/*/dialog',
  ),
  new Option(
    '--roles <names>',
    'names of the sides and their roles, such as customer=user,bot=assistant',
  ),
  format(['terminal', 'markdown']),
];

export const SAVE_OPTIONS: readonly Option[] = [
  new Option(
    '--case <id>',
    'simulated case, or one of its variants (id/variant)',
  ).makeOptionMandatory(),
  new Option(
    '--as <kind>',
    "save the user's messages as `turns`, or the whole conversation as a `transcript`",
  )
    .choices(['turns', 'transcript'])
    .default('turns'),
  count('--repetition <n>', 'repetition of the case to save', 1),
];

export const GENERATE_OPTIONS: readonly Option[] = [
  new Option('--system <file>', 'system prompt of the agent under test'),
  new Option(
    '--model <model>',
    `model that drafts the cases: provider:model (default: ${JUDGE_VARIABLE})`,
  ),
  new Option(BASE_URL, 'use this endpoint for the model'),
  ALLOW_HOST,
  DOTENV,
  count('--count <n>', 'number of cases to draft', 5),
  ...WRITING,
  new Option(RECORD, 'record the exchange with the model in this file'),
  new Option(REPLAY, 'replay this recording instead of calling the model'),
];

export const PULL_OPTIONS: readonly Option[] = [
  new Option('--session <id>', 'pull only this session; repeatable').argParser(collect),
  new Option('--out <file>', 'eval file to write (default: EXPERIMENT.eval.yaml)'),
];

export const STDIO = new Option(
  '--stdio',
  'communicate over standard input and output',
).makeOptionMandatory();

/** @param given the address, or true to use the one in the environment @throws UsageError */
export function queueAddress(given: string | true, { env }: Shell): string {
  const address = given === true ? env(QUEUE_VARIABLE) : given;
  if (address) return address;
  throw new UsageError(
    `--queue: expected the address of a Redis or Valkey server, such as redis://localhost:6379, as its value or in ${QUEUE_VARIABLE}.`,
  );
}

function queue(): Option {
  return new Option(
    '--queue [url]',
    `queue on a Redis or Valkey server, such as redis://localhost:6379 (default: ${QUEUE_VARIABLE})`,
  );
}

/** The first choice is the default. */
function format(choices: readonly string[]): Option {
  return new Option('--format <format>', 'output format').choices(choices).default(choices[0]);
}

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

function reporter(value: string, earlier: readonly ChosenReporter[] = []): ChosenReporter[] {
  const [given, ...rest] = value.split('=');
  const name = REPORTER_NAMES.find((one) => one === given);
  if (!name) throw new InvalidArgumentError(`Expected ${formatList(REPORTER_NAMES, 'or')}.`);
  const file = rest.join('=');
  if (rest.length > 0 && file === '') {
    throw new InvalidArgumentError(`Expected a file after \`=\`, such as ${name}=evals.out.`);
  }
  return [...earlier, { name, ...(rest.length > 0 && { file }) }];
}

function least(value: string, earlier: readonly Least[] = []): Least[] {
  const [name, number = ''] = value.split('=');
  const measure = MEASURES.find((one) => one === name);
  if (!measure || number.trim() === '' || !(Number(number) >= -1 && Number(number) <= 1)) {
    throw new InvalidArgumentError(
      `Expected ${formatList(MEASURES, 'or')} and a number up to 1, such as kappa=0.7.`,
    );
  }
  return [...earlier, { measure, value: Number(number) }];
}

function shard(value: string): Shard {
  const [, part, of] = /^(\d+)\/(\d+)$/.exec(value) ?? [];
  const parsed = { part: Number(part), of: Number(of) };
  if (!(parsed.part >= 1 && parsed.part <= parsed.of)) {
    throw new InvalidArgumentError('Expected a part and the number of parts, such as 2/3.');
  }
  return parsed;
}

function amount(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number) || number <= 0) {
    throw new InvalidArgumentError('Expected an amount greater than 0.');
  }
  return number;
}

function share(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !(number >= 0 && number <= 1)) {
    throw new InvalidArgumentError('Expected a number from 0 to 1.');
  }
  return number;
}

function count(flags: string, description: string, byDefault?: number): Option {
  return new Option(flags, description).default(byDefault).argParser((value) => {
    const number = Number(value);
    if (!Number.isSafeInteger(number) || number < 1) {
      throw new InvalidArgumentError('Expected a whole number of at least 1.');
    }
    return number;
  });
}
