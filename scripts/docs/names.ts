import { assertionTypes } from '../../src/assertions/registry.ts';
import {
  FOREIGN_KEY_NAMES,
  FOREIGN_KEYS,
  FOREIGN_TYPES,
  foreignNames,
} from '../../src/evalfile/foreignNames.ts';
import { table } from './table.ts';

const known = assertionTypes.map(({ type }) => type);

/** A table of another tool's names for our types and keys. */
export function namesFrom(tool: string): string {
  const types = Object.entries(FOREIGN_TYPES[tool] ?? {}).map(([theirs, ours]) => {
    const beside = Object.entries(foreignNames.ofValue(theirs, 'type', known)?.beside ?? {});
    const more = beside.map(([key, value]) => ` with \`${key}: ${value}\``).join('');
    return [`\`${theirs}\``, `[\`${ours}\`](../assertions/${ours}.md)${more}`];
  });
  const keys = Object.entries(FOREIGN_KEY_NAMES[tool] ?? {}).map(([theirs, ours]) => [
    `\`${theirs}\``,
    `\`${ours}\``,
  ]);
  const advice = Object.entries(FOREIGN_KEYS)
    .filter(
      ([theirs, key]) => key.tool === tool && !Object.hasOwn(FOREIGN_KEY_NAMES[tool] ?? {}, theirs),
    )
    .map(([theirs, { advice: says }]) => [
      `\`${theirs}\``,
      `${says.charAt(0).toUpperCase()}${says.slice(1)}.`,
    ]);
  return [
    '## Types',
    table([`in ${tool}`, 'here'], types),
    '## Keys',
    table([`in ${tool}`, 'here'], [...keys, ...advice]),
  ].join('\n\n');
}
