/** What is open comes first, then one folder after the other. */
export function readingOrder<File extends { readonly path: string }>(
  files: readonly File[],
  isOpen: (file: File) => boolean,
): File[] {
  return [...files].sort(
    (a, b) => Number(isOpen(b)) - Number(isOpen(a)) || (a.path < b.path ? -1 : 1),
  );
}
