/** A Markdown table; its cells are Markdown that is made to stay in its cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/**
 * A pipe ends a cell also inside of code, a line break ends the table, and `<name>` outside of code
 * is a tag.
 */
export function cell(markdown: string): string {
  return markdown
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;')))
    .join('')
    .replaceAll(/(?<!\\)\|/g, '\\|');
}
