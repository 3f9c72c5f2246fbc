import type { Path } from '../../core/data/data.ts';
import type { FileKind, SymbolKind } from '../../core/meaning.ts';
import type { Position, Range } from '../../core/problem.ts';
import type { ScalarText } from '../../yaml/yamlDocument.ts';

export interface Occurrence {
  /** Of its words, without quotes or braces. */
  readonly range: Range;
  /** How the scalar around it is written; `text` where the symbol is a piece of one. */
  readonly style: ScalarText['style'] | 'text';
  /** As it is written, such as `./judge.md`. */
  readonly text: string;
  readonly path: Path;
}

/** Something with a name, and everywhere in a file that it stands. */
export interface EvalSymbol {
  readonly kind: SymbolKind | FileKind;
  /** The absolute path, of files. */
  readonly name: string;
  /**
   * What it is a name in: `cases/3` for a variable, a file and an id of that case, `defaults` for
   * those of the defaults, the path of the decision graph for a node; empty if it holds for the
   * whole suite.
   */
  readonly scope: string;
  readonly declarations: readonly Occurrence[];
  readonly references: readonly Occurrence[];
  /** Scalars that mean it but write it with escapes: no edit of a few characters can change it there. */
  readonly hidden: readonly Range[];
}

export interface SymbolTable {
  /** Absolute. */
  readonly path: string;
  readonly symbols: readonly EvalSymbol[];
  find(kind: EvalSymbol['kind'], name: string, scope: string): EvalSymbol | undefined;
  /** Tells which occurrences contain a position, without working their ranges out. */
  isAt(position: Position): (occurrence: Occurrence) => boolean;
}
