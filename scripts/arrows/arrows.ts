/** What a folder may import besides itself. The lint rules and the table in ARCHITECTURE.md are generated from this. */
export interface Arrows {
  /** As the rules and the table name it, such as `src/core`. */
  readonly folder: string;
  readonly holds: string;
  /** Folders of `src`, or single files of them. */
  readonly imports: readonly string[];
  /** True if it runs in a browser as well, so that it may import nothing of Node. */
  readonly browser?: true;
}

const JUDGE_ESTIMATE = 'judge/estimate.ts';

/** In the order in which data flows. */
export const arrows: readonly Arrows[] = [
  {
    folder: 'src/core',
    holds:
      'the vocabulary: Message, Conversation, Verdict, RunRecord, Suite, scoring; no I/O and nothing of Node',
    imports: [],
    browser: true,
  },
  {
    folder: 'src/node',
    holds: 'what needs Node and no I/O: hashes, paths, long work in steps',
    imports: ['core'],
  },
  {
    folder: 'src/statistics',
    holds: 'tests of pairs, intervals and agreement: numbers in, numbers out',
    imports: [],
  },
  {
    folder: 'src/disk',
    holds: 'files and folders of the disk that are what they seem: no links, devices or pipes',
    imports: ['core'],
  },
  {
    folder: 'src/yaml',
    holds: 'text ↔ tree: a document with ranges, nodes at paths, edits, quoting, layout',
    imports: ['core', 'node'],
  },
  {
    folder: 'src/schema',
    holds: 'zod ↔ problems: walk, issues, misspelt keys, defaults, references',
    imports: ['core', 'yaml'],
  },
  {
    folder: 'src/messages',
    holds: 'one file per message dialect, to and from the canonical Message',
    imports: ['core', 'schema'],
  },
  {
    folder: 'src/models',
    holds: 'one file per provider; the only importer of `openai`; recordings; token counts',
    imports: ['core', 'node', 'disk'],
  },
  {
    folder: 'src/targets',
    holds:
      '`chat`, `module`, `command`, `http`, `a2a`; user functions in their own processes. A target never sees expectations or assertions',
    imports: ['core', 'node', 'disk', 'messages', 'models'],
  },
  {
    folder: 'src/assertions',
    holds:
      'one file per assertion type: keys, needs, question or procedure, formula, docs; what can be wrong with an answer (`shared/answerMistakes.ts`); `registry.ts` lists them',
    imports: ['core', 'node'],
  },
  {
    folder: 'src/evalfile',
    holds: 'text → Suite: the one zod declaration, cases, assertions, prompts; runs nothing',
    imports: [
      'core',
      'node',
      'disk',
      'yaml',
      'schema',
      'messages',
      'models',
      'targets',
      'assertions',
    ],
  },
  {
    folder: 'src/simulate',
    holds: 'the simulated user: what the model that plays it is told, and what its answer means',
    imports: ['core', 'assertions', 'judge/ask.ts', 'models'],
  },
  {
    folder: 'src/judge',
    holds:
      'asks judges: conversation block, protocol, answers, checks, repair; parts, samples, groups; estimates',
    imports: ['core', 'node', 'assertions', 'models', 'simulate/prompt.ts'],
  },
  {
    folder: 'src/store',
    holds:
      'run records: location, append; labels of people; answers kept between runs. `records/` is the one reader of run records: list, trends, latest results, search',
    imports: ['core', 'node', 'disk'],
  },
  {
    folder: 'src/runner',
    holds: 'plan, schedule, converse, judge, record, budget, events',
    imports: [
      'core',
      'node',
      'disk',
      'messages',
      'judge',
      'simulate',
      'assertions',
      'models',
      'targets',
      'store',
    ],
  },
  {
    folder: 'src/analysis',
    holds:
      'what records and labels say together: two runs compared, how noisy judges are, how well they agree with people',
    imports: ['core', 'node', 'statistics', 'store/labels.ts', 'store/records/latest.ts'],
  },
  {
    folder: 'src/improve',
    holds: 'a question of a judge in other words, by what people say, and how both agree with them',
    imports: [
      'core',
      'node',
      'analysis',
      'assertions',
      'judge',
      'models',
      'runner',
      'store',
      'yaml',
    ],
  },
  {
    folder: 'src/queue',
    holds:
      'a run past one machine: its cases through BullMQ to workers, their results back, one limit of the cost and of each endpoint; the only importer of `bullmq` and `ioredis`',
    imports: ['core', 'node', 'models', 'runner'],
  },
  {
    folder: 'src/report',
    holds: 'one file per reporter, and their registry',
    imports: [
      'core',
      'node',
      'disk/spillBuffer.ts',
      'analysis',
      'assertions',
      'runner',
      'protocol',
    ],
  },
  {
    folder: 'src/interop',
    holds:
      'in and out of other tools: one file per kind of file that is imported; sessions and verdicts of MLflow',
    imports: [
      'core',
      'node',
      'disk',
      'yaml',
      'schema',
      'messages',
      'models',
      'assertions',
      'evalfile',
      'report',
      'store',
    ],
  },
  {
    folder: 'src/protocol',
    holds: 'messages between processes, parsed on both ends; setting names',
    imports: ['core'],
  },
  {
    folder: 'src/language',
    holds:
      'one service over a table of document kinds (`service.ts`): completion, hover, code actions, symbols and other features; `ports.ts` is all it needs from outside',
    imports: ['core', 'node', 'yaml', 'schema', 'evalfile', 'assertions', 'protocol'],
  },
  {
    folder: 'src/server',
    holds:
      'LSP wiring over `language`: requests, diagnostics, open and closed files, who uses what (`workspace.ts`); never runs a case or asks a model',
    imports: ['core', 'node', 'yaml', 'evalfile', 'language', JUDGE_ESTIMATE, 'store', 'protocol'],
  },
  {
    folder: 'src/cli',
    holds:
      'the command line, a thin shell: `commands.ts` is the table of commands, `options.ts` has their options and defaults, `commands/` their work',
    imports: [
      'core',
      'node',
      'analysis',
      'disk',
      'evalfile',
      'interop',
      'queue',
      'runner',
      JUDGE_ESTIMATE,
      'report',
      'server',
      'store',
    ],
  },
  {
    folder: 'src/extension',
    holds: 'the extension: a thin shell; language features come from the server',
    imports: [
      'core',
      'node',
      'disk/git.ts',
      'analysis',
      'assertions',
      'evalfile',
      'improve',
      'interop',
      'runner',
      'report',
      'store',
      'protocol',
    ],
  },
  {
    folder: 'webview',
    holds:
      'the conversation view, results, comparison, trends, agreement and labeling, fed by snapshots',
    imports: ['core', 'protocol'],
  },
  {
    folder: 'scripts',
    holds: "generates lint rules, docs pages, the examples' recordings and licence notices",
    imports: [
      'core',
      'node',
      'schema',
      'messages',
      'models',
      'targets',
      'assertions',
      'evalfile',
      'report',
      'cli',
    ],
  },
  {
    folder: 'bench',
    holds:
      'measures what judging costs, how fast runs, the language server and the views are, and their memory; attacks everything',
    imports: [
      'core',
      'node',
      'yaml',
      'messages',
      'evalfile',
      'judge',
      'assertions',
      'models',
      'language',
      'protocol',
      'store',
      'report/comparedTable.ts',
      'extension/comparison/comparedRuns.ts',
      'extension/results/runResults.ts',
      'report/tables.ts',
    ],
  },
];

/** Names of a file that only some folders may import, and why. The rules of other folders deny them. */
export const nameHomes: readonly {
  readonly file: string;
  /** A regular expression that all of a name matches. */
  readonly names: string;
  /** Folders of the table, or within one. */
  readonly homes: readonly string[];
  readonly why: string;
}[] = [
  {
    file: 'record/runRecord.ts',
    names: '(run|case|end|record)LineSchema',
    homes: ['src/core', 'src/store/records', 'src/queue', 'scripts'],
    why: 'Only src/store/records parses lines of run records: use RunRecord, RunReader or readRecord.',
  },
  {
    file: 'disk/jsonLines.ts',
    names: 'read(File)?Lines',
    homes: ['src/disk', 'src/store'],
    why: 'Only src/store reads JSON Lines: of run records through RunRecord, RunReader or readRecord.',
  },
];

/** Packages that only one folder may import, and why. */
export const packageHomes: readonly {
  readonly names: readonly string[];
  readonly home: string;
  readonly why: string;
}[] = [
  {
    names: ['vscode'],
    home: 'src/extension',
    why: 'Only src/extension may import vscode, so that everything else runs in plain Node.',
  },
  {
    names: ['bullmq', 'bullmq/**', 'ioredis', 'ioredis/**'],
    home: 'src/queue',
    why: 'Only src/queue may import bullmq and ioredis, which are not always there.',
  },
  {
    names: ['openai', 'openai/**'],
    home: 'src/models/openai',
    why: 'Only src/models/openai may import openai, and lazily.',
  },
  {
    names: ['@a2a-js/sdk', '@a2a-js/sdk/**'],
    home: 'src/targets/a2a',
    why: 'Only src/targets/a2a may import the SDK of A2A, and lazily.',
  },
  {
    names: ['@vscode/webview-ui-toolkit'],
    home: 'webview/ui',
    why: 'Only webview/ui may import the toolkit, behind its factories.',
  },
];
