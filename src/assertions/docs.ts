import { REPORT_NAMES } from '../core/conversation.ts';
import { anyOf } from './caseNeeds.ts';
import type { AssertionType, CaseFacts } from './contract.ts';

const NO_FACTS: CaseFacts = { id: '', topics: [], tools: [], expectations: {}, context: {} };

/** The docs of a type without its summary, in Markdown. */
export function docsMarkdown({ docs, sees }: AssertionType): string {
  const seen = sees && anyOf(sees(NO_FACTS, {}), (one) => REPORT_NAMES[one]);
  const { asks, score, example, skipped, more, yaml, program } = docs;
  const parts = [
    dedented(asks),
    `Score: ${score}`,
    `Example: ${example}`,
    skipped && `Skipped ${skipped}`,
    seen &&
      `Error (\`not-reported\`) if the target doesn't report ${seen}: an assertion about something that wasn't reported never passes.`,
    more && dedented(more),
    code('yaml', yaml),
    program && code('ts', program),
  ];
  return parts.filter((part) => part).join('\n\n');
}

function code(language: string, text: string): string {
  return `\`\`\`${language}\n${dedented(text)}\n\`\`\``;
}

/** Removes the indentation that all lines share, and blank lines at both ends. */
export function dedented(text: string): string {
  const lines = text.replace(/^\n|\n *$/g, '').split('\n');
  const written = lines.filter((line) => line.trim() !== '');
  const indent = Math.min(...written.map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(indent)).join('\n');
}
