/**
 * The folders that a folder can import, besides itself. The lint rules and the table in ARCHITECTURE.md are generated
 * from this.
 */
export interface Arrows {
  /** Name in the rules and the table, such as `src/core`. */
  readonly folder: string;
  readonly holds: string;
  /** Folders in `src`, or single files in them. */
  readonly imports: readonly string[];
  /** True if it also runs in a browser, so it can't import Node APIs. */
  readonly browser?: true;
}

const JUDGE_ESTIMATE = 'judge/estimate.ts';

/** Ordered by data flow. */
export const arrows: readonly Arrows[] = [
  {
    folder: 'src/core',
    holds:
      'the shared types and rules: Message, Conversation, Verdict, RunRecord, Suite, scoring; no I/O and no Node APIs',
    imports: [],
    browser: true,
  },
  {
    folder: 'src/node',
    holds: 'code that needs Node but no I/O: hashes, paths, long work split into steps',
    imports: ['core'],
  },
  {
    folder: 'src/statistics',
    holds: 'paired tests, confidence intervals, and agreement, as functions of plain numbers',
    imports: [],
  },
  {
    folder: 'src/disk',
    holds: 'safe access to files and folders: refuses links, devices, and pipes',
    imports: ['core'],
  },
  {
    folder: 'src/yaml',
    holds: 'YAML text ↔ tree: documents with ranges, nodes at paths, edits, quoting, layout',
    imports: ['core', 'node'],
  },
  {
    folder: 'src/schema',
    holds: 'zod schemas → problems: schema walk, issues, misspelled keys, defaults, references',
    imports: ['core', 'yaml'],
  },
  {
    folder: 'src/messages',
    holds: 'one file per message dialect, to and from the canonical Message',
    imports: ['core', 'schema'],
  },
  {
    folder: 'src/models',
    holds:
      'model providers, one file each; recordings; token counts. Only this folder imports `openai`',
    imports: ['core', 'node', 'disk'],
  },
  {
    folder: 'src/traces',
    holds:
      'OpenTelemetry spans: the receiver of a run, which turn each span belongs to, and what spans say by each convention',
    imports: ['core', 'node', 'messages'],
  },
  {
    folder: 'src/targets',
    holds:
      '`chat`, `module`, `command`, `http`, `a2a`; runs user functions in their own processes. A target never sees expectations or assertions',
    imports: ['core', 'node', 'disk', 'messages', 'models', 'traces'],
  },
  {
    folder: 'src/agents',
    holds:
      'the npm export `turnlight/agents`: adapters, one file per framework, that turn its agents into targets; runs in user programs',
    imports: [],
    browser: true,
  },
  {
    folder: 'src/assertions',
    holds:
      'one file per assertion type: keys, needs, question or procedure, formula, docs; mistakes in answers (`shared/answerMistakes.ts`). `registry.ts` lists the types',
    imports: ['core', 'node'],
  },
  {
    folder: 'src/evalfile',
    holds: 'text → Suite: the zod declaration, cases, assertions, prompts; runs nothing',
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
    holds:
      'the simulated user: the prompt for the model that plays it, and the interpretation of its answers',
    imports: ['core', 'assertions', 'judge/ask.ts', 'models'],
  },
  {
    folder: 'src/judge',
    holds:
      'requests to judges: conversation block, protocol, answers, checks, repair; parts, samples, groups; estimates',
    imports: ['core', 'node', 'assertions', 'models', 'simulate/prompt.ts'],
  },
  {
    folder: 'src/store',
    holds:
      'writes run records and decides their location; labels; the answer cache. Only `records/` reads run records: list, trends, latest results, search',
    imports: ['core', 'node', 'disk', 'assertions/questionHash.ts'],
  },
  {
    folder: 'src/runner',
    holds:
      'plans and schedules cases, runs and judges conversations, records results, enforces the budget, reports events',
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
      'traces',
      'store',
    ],
  },
  {
    folder: 'src/analysis',
    holds:
      'statistics over records and labels: comparisons of two runs, noise of judges, agreement of judges with people',
    imports: ['core', 'node', 'statistics', 'store/labels.ts', 'store/records/latest.ts'],
  },
  {
    folder: 'src/improve',
    holds:
      "rewords a judge's question based on labels, and measures how well both wordings agree with the labels",
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
      'distributes a run over machines with BullMQ: sends cases to workers, collects results, and shares the cost and endpoint limits. Only this folder imports `bullmq` and `ioredis`',
    imports: ['core', 'node', 'models', 'runner'],
  },
  {
    folder: 'src/report',
    holds: 'reporters, one file each, and their registry',
    imports: [
      'core',
      'node',
      'disk/spillBuffer.ts',
      'analysis',
      'assertions',
      'runner',
      'store/images.ts',
      'protocol',
    ],
  },
  {
    folder: 'src/interop',
    holds:
      'import from and export to other tools: one file per imported file type; MLflow sessions and verdicts',
    imports: [
      'core',
      'node',
      'disk',
      'yaml',
      'schema',
      'messages',
      'models',
      'assertions',
      'traces',
      'evalfile',
      'report',
      'store',
    ],
  },
  {
    folder: 'src/protocol',
    holds: 'messages between processes, parsed on both ends; names of settings',
    imports: ['core'],
  },
  {
    folder: 'src/language',
    holds:
      'language features for each kind of document (`service.ts`): completion, hover, code actions, symbols, and more. `ports.ts` declares everything that this folder needs from others',
    imports: ['core', 'node', 'yaml', 'schema', 'evalfile', 'assertions', 'protocol'],
  },
  {
    folder: 'src/server',
    holds:
      'the LSP server around `language`: requests, diagnostics, open and closed files, dependencies between files (`workspace.ts`). It never runs a case or calls a model',
    imports: ['core', 'node', 'yaml', 'evalfile', 'language', JUDGE_ESTIMATE, 'store', 'protocol'],
  },
  {
    folder: 'src/cli',
    holds:
      'the command line, a thin shell: `commands.ts` lists the commands, `options.ts` their options and defaults, and `commands/` implements them',
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
    holds: 'the extension, a thin shell; language features come from the server',
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
      'the pages for conversations, results, comparisons, trends, agreement, labeling, and talking, updated by snapshots',
    imports: ['core', 'protocol'],
  },
  {
    folder: 'scripts',
    holds: 'generate lint rules, docs pages, recordings of the examples, and license notices',
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
      'benchmarks of judging costs, of speed and memory of runs, the language server, and the views; attack tests',
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
      'traces',
      'protocol',
      'store',
      'interop/traceInbox.ts',
      'report/comparedTable.ts',
      'extension/comparison/comparedRuns.ts',
      'extension/results/runResults.ts',
      'report/tables.ts',
    ],
  },
];

/** Exports that only some folders can import, and why. The rules for all other folders forbid them. */
export const nameHomes: readonly {
  readonly file: string;
  /** A regular expression that must match the whole name. */
  readonly names: string;
  /** Folders in the table, or subfolders of them. */
  readonly homes: readonly string[];
  readonly why: string;
}[] = [
  {
    file: 'record/runRecord.ts',
    names: '(run|case|end|record)LineSchema',
    homes: ['src/core', 'src/store/records', 'src/queue', 'scripts'],
    why: 'Only src/store/records parses lines of run records. Use RunRecord, RunReader, or readRecord.',
  },
  {
    file: 'disk/jsonLines.ts',
    names: 'read(File)?Lines',
    homes: ['src/disk', 'src/store'],
    why: 'Only src/store reads JSON Lines. For run records, use RunRecord, RunReader, or readRecord.',
  },
];

/** Packages that only one folder can import, and why. */
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
    why: 'Only src/queue may import bullmq and ioredis, because they are optional.',
  },
  {
    names: ['openai', 'openai/**'],
    home: 'src/models/openai',
    why: 'Only src/models/openai may import openai, and only dynamically.',
  },
  {
    names: ['@a2a-js/sdk', '@a2a-js/sdk/**'],
    home: 'src/targets/a2a',
    why: 'Only src/targets/a2a may import the A2A SDK, and only dynamically.',
  },
  {
    names: ['@modelcontextprotocol/sdk', '@modelcontextprotocol/sdk/**'],
    home: 'src/targets/mcp',
    why: 'Only src/targets/mcp may import the MCP SDK, and only dynamically.',
  },
  {
    names: ['@vscode/webview-ui-toolkit'],
    home: 'webview/ui',
    why: 'Only webview/ui may import the toolkit. Use its factories.',
  },
];
