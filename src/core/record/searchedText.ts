/** Keys to exclude from the search: kinds, locations, digests. */
const UNREAD = new Set([
  ...['kind', 'side', 'role', 'status', 'type', 'key', 'path', 'source', 'usage', 'judge'],
  ...['question_hash', 'input_hash', 'target', 'callId', 'suite', 'finished', 'origin'],
  ...['state', 'phase', 'assertions'],
]);

/**
 * Returns a case-insensitive search over a case's names, tags, messages, tool calls, and verdicts.
 *
 * @returns whether a case's line, or its snapshot, contains the text
 */
export function textFinder(text: string): (line: unknown) => boolean {
  const wanted = text.toLowerCase();
  const holds = (value: unknown): boolean => {
    if (typeof value === 'string') return value.toLowerCase().includes(wanted);
    if (Array.isArray(value)) return value.some(holds);
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value).some(([key, inner]) => !UNREAD.has(key) && holds(inner));
  };
  return holds;
}
