type ScopeKind = 'suite' | 'case' | 'assertion';

/**
 * The kinds of names and paths, and where a name is valid: the same name means different variables in different cases,
 * and different nodes in different decision graphs.
 */
export const SCOPES = {
  model: 'suite',
  /** A model as `provider:model`, which needs no declaration. */
  shortModel: 'suite',
  target: 'suite',
  tool: 'suite',
  /** One of the agents that the assistant consists of. Its name is only in the target and in conversations. */
  agent: 'suite',
  topic: 'suite',
  tag: 'suite',
  case: 'case',
  /** A node in a decision graph. */
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
  text: 'suite',
  image: 'case',
  folder: 'suite',
} as const satisfies Readonly<Record<string, ScopeKind>>;

export type FileKind = keyof typeof EXTENSIONS;

export type SymbolKind = Exclude<keyof typeof SCOPES, FileKind>;

/** Where the variables come from: the case, a judge prompt, a request body, or the environment. */
export type TemplateKind = 'case' | 'judge' | 'request' | 'env';

const SCRIPTS = ['.js', '.mjs', '.cjs', '.ts', '.mts'];

/** The file extensions of each kind; empty for a folder. */
export const EXTENSIONS = {
  prompt: ['.md'],
  transcript: ['.json', '.jsonl', '.yaml', '.yml'],
  /** Transcripts, datasets of transcripts, or a glob pattern. */
  transcripts: ['.json', '.jsonl', '.yaml', '.yml'],
  matrix: ['.csv', '.jsonl'],
  cases: ['.yaml', '.yml'],
  script: SCRIPTS,
  module: SCRIPTS,
  program: [...SCRIPTS, '.py', '.rb', '.sh', '.pl', '.php', '.R', '.jar'],
  recording: ['.jsonl'],
  text: ['.md', '.txt'],
  image: ['.png', '.jpg', '.jpeg', '.gif', '.webp'],
  folder: [] as string[],
};

export function isFileKind(kind: SymbolKind | FileKind): kind is FileKind {
  return Object.hasOwn(EXTENSIONS, kind);
}

/** Whether a command's argument is the path of a program, such as `./check` or `checks/order.py`. */
export function isProgramFile(word: string): boolean {
  if (/^\.\.?\//.test(word)) return true;
  const ending = /^(?![-/])(?!\w+:).*(\.\w+)$/.exec(word)?.[1];
  return ending !== undefined && EXTENSIONS.program.includes(ending);
}

/**
 * What a schema field refers to, declared next to its description:
 *
 * name: z.string().meta({ description: 'Name of the tool.', refersTo: 'tool' })
 *
 * Completion, links, definitions, references, renaming, colors, and checks derive from it.
 */
export interface Meaning {
  /** The text, or each of the record's keys, declares a name of this kind. */
  readonly declares?: SymbolKind | undefined;
  /** The text, or each of the record's keys, refers to a name of this kind that is declared elsewhere. */
  readonly refersTo?: SymbolKind | undefined;
  /** The text is the path of a file of this kind, relative to the file that contains it. */
  readonly file?: FileKind | undefined;
  /** Where the variables in the text, at any depth, come from. */
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
