/**
 * `a, b, and c`, as English lists are written. `Intl.ListFormat` writes the same, but takes longer to load than most of
 * our modules.
 */
export function listed(items: readonly string[], word: 'and' | 'or' = 'and'): string {
  const last = items.at(-1) ?? '';
  if (items.length < 2) return last;
  const comma = items.length > 2 ? ',' : '';
  return `${items.slice(0, -1).join(', ')}${comma} ${word} ${last}`;
}
