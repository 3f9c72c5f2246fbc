type ScopeKind = 'suite' | 'case' | 'assertion';

/**
 * The kinds of names and paths, and where a name is valid: the same name in two cases means two variables; in two
 * decision graphs, two nodes.
 */
export const SCOPES = {
  model: 'suite',
  /** A model as `provider:model`, which needs no declaration. */
  shortModel: 'suite',
  target: 'suite',
  tool: 'suite',
  topic: 'suite',
  tag: 'suite',
  case: 'case',
  /** Of a decision graph. */
  node: 'assertion',
  /** A key of `context`, used as `{{key}}`. */
  variable: 'case',
  prompt: 'case',
  transcript: 'case',
  transcripts: 'case',
  matrix: 'case',
  cases: 'suite',
  script: 'case',
  module: 'suite',
  program: 'case',
  recording: 'suite',
  folder: 'suite',
} as const satisfies Readonly<Record<string, ScopeKind>>;

export type FileKind = keyof typeof EXTENSIONS;

export type SymbolKind = Exclude<keyof typeof SCOPES, FileKind>;

/** Where the variables come from: the case, a judge prompt, a request body, or the environment. */
export type TemplateKind = 'case' | 'judge' | 'request' | 'env';

const SCRIPTS = ['.js', '.mjs', '.cjs', '.ts', '.mts'];

/** File extensions; a folder has none. */
export const EXTENSIONS = {
  prompt: ['.md'],
  transcript: ['.json', '.jsonl', '.yaml', '.yml'],
  /** Transcripts, data sets of transcripts, or a pattern. */
  transcripts: ['.json', '.jsonl', '.yaml', '.yml'],
  matrix: ['.csv', '.jsonl'],
  cases: ['.yaml', '.yml'],
  script: SCRIPTS,
  module: SCRIPTS,
  program: [...SCRIPTS, '.py', '.rb', '.sh', '.pl', '.php', '.R', '.jar'],
  recording: ['.jsonl'],
  folder: [] as string[],
};

export function isFileKind(kind: SymbolKind | FileKind): kind is FileKind {
  return Object.hasOwn(EXTENSIONS, kind);
}

/** Whether a word of a command is the path of a program: `./check`, or `checks/order.py`. */
export function isProgramFile(word: string): boolean {
  if (/^\.\.?\//.test(word)) return true;
  const ending = /^(?![-/])(?!\w+:).*(\.\w+)$/.exec(word)?.[1];
  return ending !== undefined && EXTENSIONS.program.includes(ending);
}

/**
 * What a field of a schema refers to, next to its description:
 *
 *     name: z.string().meta({ description: 'Name of the tool.', refersTo: 'tool' })
 *
 * Completion, links, definitions, references, renaming, colors, and checks derive from it.
 */
export interface Meaning {
  /** The text, or each key of a record, declares a name of this kind. */
  readonly declares?: SymbolKind | undefined;
  /** The text, or each key of a record, refers to a name that is declared elsewhere. */
  readonly refersTo?: SymbolKind | undefined;
  /** The text is the path of a file of this kind, relative to the file that contains it. */
  readonly file?: FileKind | undefined;
  /** Where the variables in it, at any depth, come from. */
  readonly template?: TemplateKind | 'none' | undefined;
  /** Starts a scope for names of cases or assertions. */
  readonly opens?: 'case' | 'assertion' | undefined;
}

export const MEANING_KEYS = [
  'declares',
  'refersTo',
  'file',
  'template',
  'opens',
] as const satisfies readonly (keyof Meaning)[];

declare module 'zod/v4/core' {
  interface GlobalMeta extends Meaning {}
}
