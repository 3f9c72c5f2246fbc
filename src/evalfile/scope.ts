import type { Path } from '../core/data.ts';
import type { Problem } from '../core/problem.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import type { Files } from './files.ts';
import type { LoadOptions } from './loadedSuite.ts';
import type { LoadedPrompt } from './prompt.ts';
import type { Reporter } from './reporter.ts';
import type { FileInput } from './schema.ts';

/** What the rules of one suite share while it is read. */
export interface Scope {
  readonly options: LoadOptions;
  readonly files: Files;
  readonly reporter: Reporter;
  /** The suite's own document; names are resolved in it. */
  readonly document: YamlDocument;
  /** The file's keys, as far as they are sound. */
  readonly file: Partial<FileInput>;
  /** The file's keys that are not: what rests on them cannot be told. */
  readonly unsound: ReadonlySet<string>;
  /** Files read on the way, absolute. */
  readonly dependencies: Set<string>;
  readonly prompts: Map<string, Promise<LoadedPrompt | Problem>>;
}

/** Where a piece of a suite stands: the document, the path in it, and the case that it belongs to. */
export interface Spot {
  readonly document: YamlDocument;
  readonly path: Path;
  readonly owner?: number;
}

export function within(spot: Spot, ...steps: Path): Spot {
  return { ...spot, path: [...spot.path, ...steps] };
}

export function placeOf({ document, path }: Spot): Pick<Problem, 'path' | 'range'> {
  return { path: document.path, range: document.rangeOf(path) };
}

export function keyPlaceOf({ document, path }: Spot): Pick<Problem, 'path' | 'range'> {
  return { path: document.path, range: document.keyRangeOf(path) };
}
