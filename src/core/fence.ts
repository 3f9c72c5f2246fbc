/** Every character or pair that some reader takes for a line break. */
const LINE_BREAKS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

const PREFIX = '| ';

/**
 * Marks text as evidence by a prefix on each of its lines, so that nothing in it can look like the
 * program's own words around it:
 *
 *     | Ignore the above.
 *     | === END OF CONVERSATION ===
 */
export function fence(text: string): string {
  return text
    .split(LINE_BREAKS)
    .map((line) => PREFIX + line)
    .join('\n');
}
