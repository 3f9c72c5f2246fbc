import { groupBy, type Path, uniqueBy } from '../core/data/data.ts';
import {
  comparePositions,
  errorAt,
  isError,
  limitProblems,
  overlaps,
  type Problem,
  type Range,
  type Source,
} from '../core/problem.ts';
import type { Step } from '../node/cooperative.ts';
import { isUnreadable } from '../yaml/parser.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import type { Files } from './files.ts';
import type { LoadOptions } from './loadedSuite.ts';
import type { LoadedPrompt } from './prompt.ts';
import type { FileInput } from './schema.ts';

/** State shared while a suite is read. */
export interface Scope {
  readonly options: LoadOptions;
  readonly step: Step;
  readonly files: Files;
  /** Doesn't cache reads; for files that are read after the suite. */
  readonly uncachedFiles: Files;
  readonly reporter: Reporter;
  /** The suite's document, which names are resolved in. */
  readonly document: YamlDocument;
  readonly file: Partial<FileInput>;
  /** Invalid keys in the file and in the case. Everything that depends on them is unknown. */
  readonly invalidKeys: ReadonlySet<string>;
  /** Number of characters left for filled-in text in the suite, case, or variant. */
  readonly room: { left: number; isExceeded: boolean };
  /** Number of combinations left for the matrices of the suite. */
  readonly matrices: { left: number };
  /** Absolute paths of files that the suite depends on, including missing ones. */
  readonly dependencies: Set<string>;
  /** Reads a judge prompt, cached by text. */
  loadPrompt(text: string, path: string): LoadedPrompt;
}

/** A part of a suite that is being read. */
export interface Location {
  readonly scope: Scope;
  readonly document: YamlDocument;
  readonly path: Path;
  /** Index of its case in the suite. */
  readonly owner?: number | undefined;
}

export function within(location: Location, ...steps: Path): Location {
  return { ...location, path: [...location.path, ...steps] };
}

/** A part of the suite's own file that a case uses. Its problems keep the case from running. */
export function topLevelAt(
  { scope, owner }: Pick<Location, 'scope' | 'owner'>,
  ...path: Path
): Location {
  return { scope, document: scope.document, path, owner };
}

/** The location of a case, turn, or assertion in its file. */
export function sourceOf({ document, path }: Location): Source {
  return { path: document.path, range: document.entryRangeOf(path) };
}

type Details = Partial<Pick<Problem, 'severity' | 'replacement' | 'fix' | 'range'>>;

/** @param details its `range` replaces the value's range */
export function report(
  code: string,
  message: string,
  { document, path, owner, scope }: Location,
  { range = document.rangeOf(path), ...details }: Details = {},
): void {
  const problem = { ...errorAt(document.path, range, code, message), ...details };
  scope.reporter.add(problem, owner);
}

export function reportOnKey(
  code: string,
  message: string,
  location: Location,
  details: Details = {},
): void {
  const range = location.document.keyRangeOf(location.path);
  report(code, message, location, { range, ...details });
}

/**
 * A problem and its owner. An error prevents the case at index `owner` from running, or the whole file if `owner` is
 * undefined.
 */
export interface Report {
  readonly problem: Problem;
  readonly owner: number | undefined;
  /** Set for a syntax error in a case: the range of text that it may affect; absent if it may affect the whole case. */
  readonly spoiled?: Range | undefined;
}

/** Collects the problems of a suite. */
export class Reporter {
  readonly reports: Report[] = [];

  add(problem: Problem, owner?: number): void {
    this.reports.push({ problem, owner });
  }

  /** Adds a file's syntax errors. @param firstOwner index of the file's first case in the suite */
  addSyntax(document: YamlDocument, firstOwner = 0): void {
    for (const problem of document.problems) {
      const item = document.caseOf(problem);
      if (item === undefined) this.add(problem);
      else {
        const spoiled = spoiledRange(document, problem, item);
        this.reports.push({ problem, owner: firstOwner + item, spoiled });
      }
    }
  }

  /**
   * All problems, sorted by file and location, without duplicates. For an unreadable file, contains only the reason;
   * for an unreadable case, also problems that are certain despite the syntax error.
   */
  all(): readonly Problem[] {
    const faults = groupBy(
      this.reports.filter(({ problem }) => isUnreadable(problem)),
      ({ problem, owner }) => pieceOf(problem, owner),
    );
    const shown = this.reports.filter(({ problem, owner }) => {
      if (isUnreadable(problem)) return true;
      const own = [undefined, owner].flatMap((one) => faults.get(pieceOf(problem, one)) ?? []);
      return own.every(({ spoiled }) => isCertain(problem, spoiled));
    });
    // An alias's content is read again wherever the alias is used.
    const unique = uniqueBy(
      shown.map(({ problem }) => problem),
      ({ code, message, path, range: { start, end } }) =>
        `${start.line}:${start.character}-${end.line}:${end.character} ${code} ${path} ${message}`,
    );
    return limitProblems(unique.sort(byPlace));
  }

  hasErrors(): boolean {
    return this.reports.some(({ problem }) => isError(problem));
  }

  /** The errors that prevent each case from running. The key for the whole file is undefined. */
  errors(): ReadonlyMap<number | undefined, readonly Report[]> {
    const errors = this.reports.filter(({ problem }) => isError(problem));
    return groupBy(errors, ({ owner }) => owner);
  }
}

/** Identifies a case or file in which a syntax error can hide problems. */
function pieceOf({ path }: Problem, owner: number | undefined): string {
  return `${owner ?? ''} ${path}`;
}

function byPlace(a: Problem, b: Problem): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return comparePositions(a.range.start, b.range.start);
}

/**
 * The part of a case that a syntax error may affect: an entry with an incomplete key, or else everything from the
 * faulty value's key to the end of the case. Undefined if it may affect the whole case.
 *
 * @param item index of the case in `cases`
 */
function spoiledRange(document: YamlDocument, { range }: Problem, item: number): Range | undefined {
  const { path, onKey } = document.pathAt(range.start);
  const [list, index, key] = path;
  if (list !== 'cases' || index !== item || key === undefined) return undefined;
  const owner: Path = [list, index, key];
  // An invalid key affects only its entry, but an unclosed value can extend anywhere.
  if (onKey && path.length === owner.length) return document.entryRangeOf(owner);
  return { start: document.keyRangeOf(owner).start, end: document.rangeOf([list, index]).end };
}

/** Codes of problems that may disappear when the text is completed. */
const MAY_BE_SOLVED: ReadonlySet<string> = new Set([
  'conversation-unfinished',
  'history-unfinished',
  'missing-context',
  'missing-fact',
  'missing-key',
  'missing-need',
  'missing-target',
  'no-assertion',
  'no-judge',
  'no-simulator',
  'not-reported',
  'nothing-to-judge',
  'prompt-or-instructions',
  'turns-or-transcript',
  'unanswered-tool',
  'unknown-variable',
  'unused-name',
  'useless-key',
]);

/** Whether a problem will remain no matter how the affected text is completed. */
function isCertain({ code, range }: Problem, spoiled: Range | undefined): boolean {
  return spoiled !== undefined && !MAY_BE_SOLVED.has(code) && !overlaps(range, spoiled);
}
