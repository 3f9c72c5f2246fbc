import { table } from '../docs/table.ts';
import { arrows } from './arrows.ts';

const START = '<!-- Made by `npm run arrows`. -->\n\n';
const END = '\n\n<!-- End of what is made. -->';

/** ARCHITECTURE.md with the folders and their arrows as they are now. */
export function withTable(architecture: string): string {
  const [before = '', rest = ''] = architecture.split(START);
  const after = rest.split(END)[1] ?? '';
  const rows = arrows.map(({ folder, holds, imports }) => [
    `\`${folder}\``,
    holds,
    imports.length === 0 ? '–' : imports.join(', '),
  ]);
  const folders = table(['folder', 'holds', 'may import'], rows);
  return `${before}${START}${folders}${END}${after}`;
}
