/** Keys whose values aren't searched: kinds, locations, and digests. */
const UNREAD = new Set([
  ...['kind', 'side', 'role', 'status', 'type', 'key', 'path', 'source', 'usage', 'judge'],
  ...['question_hash', 'input_hash', 'target', 'callId', 'suite', 'finished', 'origin'],
  ...['state', 'phase', 'assertions'],
]);

/** Returns a case-insensitive search over a case's record line or snapshot. */
export function textFinder(text: string): (line: unknown) => boolean {
  const wanted = text.toLowerCase();
  const contains = (value: unknown): boolean => {
    if (typeof value === 'string') return value.toLowerCase().includes(wanted);
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value).some(([key, inner]) => !UNREAD.has(key) && contains(inner));
  };
  return contains;
}
