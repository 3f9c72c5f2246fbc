import type { Path } from '../core/data.ts';
import type { Range } from '../core/problem.ts';
import type { ScalarText } from '../yaml/yamlDocument.ts';

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
