import type { CaseRef } from '../../core/identity.ts';
import type { Problem } from '../../core/problem.ts';
import type { LoadedSuite, OutlineCase } from '../../evalfile/loadedSuite.ts';

/**
 * The cases that can have an item: those with an id. If several have the same id, only the first one can. VS Code's ids
 * can't contain a zero byte, as in `id: "a\0b"`.
 */
export function listedCases(outline: readonly OutlineCase[]): (OutlineCase & { id: string })[] {
  const listed = new Map<string, OutlineCase & { id: string }>();
  for (const one of outline) {
    const { id } = one;
    if (id !== undefined && !id.includes('\0') && !listed.has(id)) listed.set(id, { ...one, id });
  }
  return [...listed.values()];
}

/** Errors in an eval file that no listed case can show. */
export function unlistedErrors({ outline, problems }: LoadedSuite): Problem[] {
  const listed = new Set(listedCases(outline).flatMap(({ errors }) => errors));
  return problems.filter((problem) => problem.severity === 'error' && !listed.has(problem));
}

/** Whether the eval file itself is missing, rather than a file that it refers to. */
export function isMissing({ outline, problems: [first] }: LoadedSuite): boolean {
  const end = first?.range.end;
  const ofFile = end?.line === 0 && end.character === 0;
  return outline.length === 0 && ofFile && first?.code === 'file-missing';
}

/** The position of the case that an execution belongs to. */
interface CaseInFile extends CaseRef {
  /** Absolute path of the eval file or an included one. */
  readonly file: string;
  /** From 0. */
  readonly line: number;
}

/** Sorts open files first, then by folder. */
export function sortFiles<File extends { readonly path: string }>(
  files: readonly File[],
  isOpen: (file: File) => boolean,
): File[] {
  return [...files].sort((a, b) => Number(isOpen(b)) - Number(isOpen(a)) || byPath(a.path, b.path));
}

/**
 * Sorts executions in the order of their files. A case's variants are on the same line, so they are sorted by the
 * numbers in their names.
 */
export function inReadingOrder<One extends CaseInFile>(executions: readonly One[]): One[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  return [...executions].sort(
    (a, b) =>
      byPath(a.suite, b.suite) ||
      byPath(a.file, b.file) ||
      a.line - b.line ||
      compare(a.variant ?? '', b.variant ?? '') ||
      a.repetition - b.repetition,
  );
}

function byPath(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
