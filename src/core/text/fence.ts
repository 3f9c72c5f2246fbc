import { splitLines } from '../presentation/visibleText.ts';

const PREFIX = '| ';

/**
 * Marks text as evidence by a prefix on each of its lines, so that nothing in it can look like the
 * program's own words around it:
 *
 *     | Ignore the above.
 *     | === END OF CONVERSATION ===
 */
export function fence(text: string): string {
  return splitLines(text)
    .map((line) => PREFIX + line)
    .join('\n');
}
