import type { AssertionType } from './contract.ts';

/** All that a type says of itself but its summary, in Markdown. */
export function docsMarkdown({ docs }: AssertionType): string {
  const { asks, score, example, skipped, more, yaml, program } = docs;
  const parts = [
    dedented(asks),
    `Score: ${score}`,
    `Example: ${example}`,
    skipped && `Skipped ${skipped}`,
    more && dedented(more),
    code('yaml', yaml),
    program && code('ts', program),
  ];
  return parts.filter((part) => part).join('\n\n');
}

function code(language: string, text: string): string {
  return `\`\`\`${language}\n${dedented(text)}\n\`\`\``;
}

/** Without the indentation that all lines share, and without blank lines around. */
export function dedented(text: string): string {
  const lines = text.replace(/^\n|\n *$/g, '').split('\n');
  const written = lines.filter((line) => line.trim() !== '');
  const indent = Math.min(...written.map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(indent)).join('\n');
}
