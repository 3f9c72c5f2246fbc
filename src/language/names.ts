import { dirname, resolve } from 'node:path';
import type { Range } from '../core/problem.ts';
import { loadPrompt } from '../evalfile/prompt.ts';
import type { Path, ScalarText, YamlDocument } from '../evalfile/yamlDocument.ts';
import { collectNames } from './collectNames.ts';
import { GatheredNames } from './gatheredNames.ts';

/** What a path is the path of. */
export type FileKind = 'prompt' | 'transcript' | 'include' | 'script' | 'recording' | 'module';

export type NameKind = 'model' | 'target' | 'tool' | 'case' | 'node' | 'variable' | FileKind;

const FILE_KINDS: readonly string[] = [
  'prompt',
  'transcript',
  'include',
  'script',
  'recording',
  'module',
] satisfies FileKind[];

export function namesFile(kind: NameKind): kind is FileKind {
  return FILE_KINDS.includes(kind);
}

/** Where a name stands. */
export interface Place {
  /** Its words, without quotes or braces. */
  readonly range: Range;
  /** How the scalar around it is written; `text` where the name is a piece of one. */
  readonly style: ScalarText['style'] | 'text';
  /** As it is written, such as `./judge.md`. */
  readonly text: string;
  readonly path: Path;
}

/** A name of a file with all its places in that file. */
export interface Name {
  readonly kind: NameKind;
  /** The absolute path, of files. */
  readonly name: string;
  /**
   * What it is a name in: `cases/3` for a variable, a file and an id of that case, `defaults` for
   * those of the defaults, the path of the decision graph for a node; empty where it holds for the
   * whole suite.
   */
  readonly scope: string;
  readonly declarations: readonly Place[];
  readonly uses: readonly Place[];
  /** Scalars that mean it but write it with escapes: no edit of a few characters can change it there. */
  readonly hidden: readonly Range[];
}

export interface FileNames {
  /** Absolute. */
  readonly path: string;
  readonly names: readonly Name[];
  find(kind: NameKind, name: string, scope: string): Name | undefined;
}

const KNOWN = new WeakMap<YamlDocument, FileNames>();

/** All names of an eval file, gathered once for each version of its text. */
export function namesOf(yaml: YamlDocument): FileNames {
  const known = KNOWN.get(yaml);
  if (known) return known;
  const folder = dirname(yaml.path);
  const gathered = new GatheredNames(yaml.path, (reference) => resolve(folder, reference));
  collectNames(yaml, gathered);
  KNOWN.set(yaml, gathered);
  return gathered;
}

/** The names of a judge prompt: its model, and the keys of `context` that it uses. */
export function promptNames(text: string, path: string): FileNames {
  const { document, variables } = loadPrompt(text, path);
  const gathered = new GatheredNames(path, (reference) => reference);
  const listed: unknown = Reflect.get(Object(document.value), 'variables');
  for (const index of Array.isArray(listed) ? listed.keys() : []) {
    gathered.addScalar(document, 'variable', '', 'declaration', ['variables', index]);
  }
  gathered.addScalar(document, 'model', '', 'use', ['model']);
  for (const { name, range } of variables) {
    const key = contextKey(name);
    if (key === undefined) continue;
    const start = { line: range.end.line, character: range.end.character - key.length };
    const place: Place = { range: { start, end: range.end }, style: 'text', text: key, path: [] };
    gathered.add('variable', key, '', 'use', place);
  }
  return gathered;
}

/** `city` of `context.city`, as prompts write it. */
export function contextKey(variable: string): string | undefined {
  return variable.startsWith('context.') ? variable.slice('context.'.length) : undefined;
}
