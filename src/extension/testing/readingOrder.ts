import type { CaseRef } from '../../core/identity.ts';

/** Where the text of an execution's case stands. */
export interface CaseInFile extends CaseRef {
  /** Absolute: the eval file or one that is included. */
  readonly file: string;
  /** From 0. */
  readonly line: number;
}

/** What is open comes first, then one folder after the other. */
export function readingOrder<File extends { readonly path: string }>(
  files: readonly File[],
  isOpen: (file: File) => boolean,
): File[] {
  return [...files].sort((a, b) => Number(isOpen(b)) - Number(isOpen(a)) || byPath(a.path, b.path));
}

/** Executions as one reads their files. Variants of a case stand on one line, and go by the numbers in their names. */
export function asRead<One extends CaseInFile>(executions: readonly One[]): One[] {
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
