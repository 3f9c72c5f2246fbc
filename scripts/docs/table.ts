/** A Markdown table. Cells are Markdown, escaped so that they can't break the table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/**
 * Escapes what would break a cell: a pipe ends a cell even inside code, a line break ends the table, and `<name>`
 * outside of code is a tag.
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
