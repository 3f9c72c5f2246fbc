/** What a folder may import, beside itself. Lint rules, their messages and ARCHITECTURE's table follow from it. */
export interface Arrows {
  /** As the rules and the table name it, such as `src/core`. */
  readonly folder: string;
  readonly holds: string;
  /** Folders of `src`, or single files of them. */
  readonly imports: readonly string[];
}

const JUDGE_ESTIMATE = 'judge/estimate.ts';

/** In the order in which data flows. */
export const arrows: readonly Arrows[] = [
  {
    folder: 'src/core',
    holds:
      'the vocabulary: Message, Conversation, Verdict, RunRecord, Suite, scoring; no I/O and no other folder',
    imports: [],
  },
  {
    folder: 'src/yaml',
    holds: 'text ↔ tree: a document with ranges, nodes at paths, edits, quoting, layout',
    imports: ['core'],
  },
  {
    folder: 'src/schema',
    holds: 'zod ↔ problems: walk, issues, misspelt keys, defaults',
    imports: ['core', 'yaml'],
  },
  {
    folder: 'src/messages',
    holds: 'one file per message dialect, into and out of the canonical Message',
    imports: ['core', 'schema'],
  },
  {
    folder: 'src/models',
    holds: 'one file per provider; the only importer of `openai`; recordings; token counts',
    imports: ['core'],
  },
  {
    folder: 'src/targets',
    holds:
      "`chat`, `module`, `command`; the user's functions, each in a process of its own. A target never sees expectations or assertions",
    imports: ['core', 'messages', 'models'],
  },
  {
    folder: 'src/assertions',
    holds:
      'one file per assertion type: keys, needs, question or procedure, formula, docs; `registry.ts` lists them. Who asks is the business of `judge`',
    imports: ['core'],
  },
  {
    folder: 'src/evalfile',
    holds: 'text → Suite: the one zod declaration, cases, assertions, prompts. It runs nothing',
    imports: ['core', 'yaml', 'schema', 'messages', 'models', 'targets', 'assertions'],
  },
  {
    folder: 'src/judge',
    holds:
      'conversation block, protocol, answers, checks, repair; parts, samples, groups; estimates',
    imports: ['core', 'assertions', 'models'],
  },
  {
    folder: 'src/store',
    holds:
      'run records: where they stand, append, read, latest verdict of a case; what is kept between runs',
    imports: ['core'],
  },
  {
    folder: 'src/runner',
    holds: 'plan, schedule, converse, judge, record, budget, events',
    imports: ['core', 'messages', 'judge', 'assertions', 'models', 'targets', 'store'],
  },
  { folder: 'src/report', holds: 'terminal, JSON, JUnit', imports: ['core', 'runner'] },
  {
    folder: 'src/protocol',
    holds: 'messages between processes, parsed on both ends; settings keys',
    imports: ['core'],
  },
  {
    folder: 'src/language',
    holds: 'pure language features: (document, position, ports) → result',
    imports: ['core', 'yaml', 'schema', 'evalfile', 'assertions', 'protocol'],
  },
  {
    folder: 'src/server',
    holds: 'LSP wiring over `language`; it never runs a case and never asks a model',
    imports: ['core', 'yaml', 'evalfile', 'language', JUDGE_ESTIMATE, 'store', 'protocol'],
  },
  {
    folder: 'src/cli',
    holds: 'the command line: a thin shell',
    imports: ['core', 'evalfile', 'runner', JUDGE_ESTIMATE, 'report', 'server', 'store'],
  },
  {
    folder: 'src/extension',
    holds: 'the extension: a thin shell; language features come from the server',
    imports: ['core', 'evalfile', 'runner', 'report', 'store', 'protocol'],
  },
  {
    folder: 'webview',
    holds: 'the conversation view; all it shows comes in snapshots',
    imports: ['core', 'protocol'],
  },
  {
    folder: 'scripts',
    holds: "makes the lint rules, the pages, the examples' recordings and the licence notices",
    imports: ['core', 'schema', 'evalfile', 'assertions'],
  },
  {
    folder: 'bench',
    holds: 'what judging costs, how fast the language server answers',
    imports: ['core', 'yaml', 'messages', 'evalfile', 'judge', 'assertions', 'models'],
  },
];

/** Packages that one folder alone may import, each with the reason. */
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
    names: ['openai', 'openai/**'],
    home: 'src/models/openai',
    why: 'Only src/models/openai may import openai, and lazily.',
  },
  {
    names: ['@vscode/webview-ui-toolkit'],
    home: 'webview/ui',
    why: 'Only webview/ui may import the toolkit, behind its factories.',
  },
];
