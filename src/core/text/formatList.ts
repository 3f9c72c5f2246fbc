/** `a, b, and c`, like `Intl.ListFormat`, which takes longer to load than most of our modules. */
export function formatList(items: readonly string[], word: 'and' | 'or' = 'and'): string {
  const last = items.at(-1) ?? '';
  if (items.length < 2) return last;
  const comma = items.length > 2 ? ',' : '';
  return `${items.slice(0, -1).join(', ')}${comma} ${word} ${last}`;
}
