/** Keys of lines whose texts nobody reads: names of kinds, places, digests. */
const UNREAD = new Set([
  ...['kind', 'side', 'role', 'status', 'type', 'key', 'path', 'source', 'usage', 'judge'],
  ...['question_hash', 'input_hash', 'target', 'callId', 'suite', 'finished', 'origin'],
  ...['state', 'phase', 'assertions'],
]);

/**
 * What finds a text in all that is known of a case: its names and tags, what was said, what tools got and gave,
 * verdicts with their reasons. Upper and lower case are one.
 *
 * @returns whether a case's line, or what stands for it, holds the text
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
