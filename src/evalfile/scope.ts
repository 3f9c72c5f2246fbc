import { groupBy, type Path, uniqueBy } from '../core/data/data.ts';
import {
  isError,
  limitProblems,
  type Position,
  type Problem,
  type Range,
} from '../core/problem.ts';
import type { Step } from '../node/cooperative.ts';
import { isUnreadable } from '../yaml/parser.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import type { Files } from './files.ts';
import type { LoadOptions } from './loadedSuite.ts';
import type { LoadedPrompt } from './prompt.ts';
import type { FileInput } from './schema.ts';

/** Shared state while a suite is read. */
export interface Scope {
  readonly options: LoadOptions;
  readonly step: Step;
  readonly files: Files;
  /** Without cached reads, for what is read after the suite. */
  readonly uncachedFiles: Files;
  readonly reporter: Reporter;
  /** The document of the suite, in which names are resolved. */
  readonly document: YamlDocument;
  readonly file: Partial<FileInput>;
  /** The file's invalid keys: everything that depends on them is unknown. */
  readonly invalidKeys: ReadonlySet<string>;
  /** Files that the suite depends on, even missing ones, absolute. */
  readonly dependencies: Set<string>;
  /** Reads a judge prompt, cached by text. */
  loadPrompt(text: string, path: string): LoadedPrompt;
}

/** The location of a part of a suite: the document, the path in it, and the case it belongs to. */
export interface Location {
  readonly document: YamlDocument;
  readonly path: Path;
  readonly owner?: number | undefined;
}

export function within(location: Location, ...steps: Path): Location {
  return { ...location, path: [...location.path, ...steps] };
}

/** A problem, and the case that it keeps from running; undefined if it is the whole file. */
export interface Report {
  readonly problem: Problem;
  readonly owner: number | undefined;
  /** Of a syntax error in a case: the text that it may have spoiled, if not all of the case. */
  readonly spoiled?: Range | undefined;
}

type Details = Partial<Pick<Problem, 'severity' | 'replacement' | 'fix' | 'range'>>;

/**
 * Collects the problems of a suite with what they keep from running: the whole file, or one case (its index in the
 * suite).
 */
export class Reporter {
  readonly reports: Report[] = [];

  add(problem: Problem, owner?: number): void {
    this.reports.push({ problem, owner });
  }

  /** The syntax errors of a file. @param firstOwner the number that its first case has in the suite */
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

  /** @param details `range` replaces the range of the value */
  report(code: string, message: string, location: Location, details: Details = {}): void {
    const { document, path, owner } = location;
    const { range = document.rangeOf(path), ...more } = details;
    this.add({ code, message, severity: 'error', path: document.path, range, ...more }, owner);
  }

  reportOnKey(code: string, message: string, location: Location, details: Details = {}): void {
    const range = location.document.keyRangeOf(location.path);
    this.report(code, message, location, { range, ...details });
  }

  /**
   * Sorted by file and location, without duplicates. For an unreadable file, only the reason; for an unreadable case,
   * also problems that are certain anyway.
   */
  all(): readonly Problem[] {
    const faults = groupBy(
      this.reports.filter(({ problem }) => isUnreadable(problem)),
      ({ problem, owner }) => pieceOf(problem, owner),
    );
    // The content of an alias is read twice and reported once, where it was written.
    const shown = this.reports.filter(({ problem, owner }) => {
      if (isUnreadable(problem)) return true;
      const own = [undefined, owner].flatMap((one) => faults.get(pieceOf(problem, one)) ?? []);
      return own.every(({ spoiled }) => isCertain(problem, spoiled));
    });
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

  /** The errors that keep each case from running; those of the whole file are under undefined. */
  errors(): ReadonlyMap<number | undefined, readonly Report[]> {
    const errors = this.reports.filter(({ problem }) => isError(problem));
    return groupBy(errors, ({ owner }) => owner);
  }
}

/** Identifies a case, or the whole file, in which a syntax error can hide problems. */
function pieceOf({ path }: Problem, owner: number | undefined): string {
  return `${owner ?? ''} ${path}`;
}

function byPlace(a: Problem, b: Problem): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  const { line, character } = a.range.start;
  return line - b.range.start.line || character - b.range.start.character;
}

/**
 * The text of a case that a syntax error may have spoiled: an entry whose key is half written, else everything from
 * the key of the value with the error to the end of the case. Undefined if it is the whole case.
 *
 * @param item the case, by its place in `cases`
 */
function spoiledRange(document: YamlDocument, { range }: Problem, item: number): Range | undefined {
  const { path, onKey } = document.pathAt(range.start);
  const [list, index, key] = path;
  if (list !== 'cases' || index !== item || key === undefined) return undefined;
  const owner: Path = [list, index, key];
  // An invalid key spoils only its entry; a value without an end can reach anywhere.
  if (onKey && path.length === owner.length) return document.entryRangeOf(owner);
  return { start: document.keyRangeOf(owner).start, end: document.rangeOf([list, index]).end };
}

/** Problems that unwritten text may solve. */
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

/** Whether a problem exists no matter how the spoiled text is completed. */
function isCertain({ code, range }: Problem, spoiled: Range | undefined): boolean {
  if (!spoiled || MAY_BE_SOLVED.has(code)) return false;
  return isBefore(range.end, spoiled.start) || isBefore(spoiled.end, range.start);
}

function isBefore(one: Position, other: Position): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}
