/**
 * The policy of a page of the conversation view: it loads its own script and style, and nothing else at
 * all.
 *
 * @param nonce random, new for each page: only what carries it runs
 * @param styles further sources of style sheets
 */
export function viewPolicy(nonce: string, ...styles: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    ['style-src', ...styles, `'nonce-${nonce}'`].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
