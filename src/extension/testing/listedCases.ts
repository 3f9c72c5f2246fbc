import type { Problem } from '../../core/problem.ts';
import type { LoadedSuite, OutlineCase } from '../../evalfile/loadedSuite.ts';

/**
 * The cases that can have an item: those with an id, of equal ids the first. VS Code takes no id
 * with a zero byte, which `id: "a\0b"` in a file is.
 */
export function listedCases(outline: readonly OutlineCase[]): (OutlineCase & { id: string })[] {
  const listed = new Map<string, OutlineCase & { id: string }>();
  for (const one of outline) {
    const { id } = one;
    if (id !== undefined && !id.includes('\0') && !listed.has(id)) listed.set(id, { ...one, id });
  }
  return [...listed.values()];
}

/** Errors of an eval file that no listed case can show. */
export function unlistedErrors({ outline, problems }: LoadedSuite): Problem[] {
  const listed = new Set(listedCases(outline).flatMap(({ errors }) => errors));
  return problems.filter((problem) => problem.severity === 'error' && !listed.has(problem));
}

/** True if the eval file itself is not there; a file that it refers to may be missing as well. */
export function isMissing({ outline, problems: [first] }: LoadedSuite): boolean {
  const end = first?.range.end;
  const ofFile = end?.line === 0 && end.character === 0;
  return outline.length === 0 && ofFile && first?.code === 'file-missing';
}
