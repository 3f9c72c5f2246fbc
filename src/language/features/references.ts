import type { Location } from 'vscode-languageserver-types';
import type { Position } from '../../core/problem.ts';
import { type NamePorts, nameAt, sameNames } from '../sameName.ts';
import { locationOf } from './definition.ts';

/**
 * All places that mean the same as the name at a place, over all files, in their order.
 *
 * @param path of an eval file or of a prompt
 */
export async function references(
  path: string,
  position: Position,
  includeDeclaration: boolean,
  ports: NamePorts,
): Promise<Location[]> {
  const found = await nameAt(path, position, ports);
  if (!found) return [];
  const all = (await sameNames(found, ports)).flatMap((one) =>
    [...(includeDeclaration ? one.name.declarations : []), ...one.name.uses].map(({ range }) =>
      locationOf(one, range, ports),
    ),
  );
  const unique = new Map(all.map((one) => [JSON.stringify(one), one]));
  return [...unique.values()].sort(
    (a, b) =>
      (a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0) ||
      a.range.start.line - b.range.start.line ||
      a.range.start.character - b.range.start.character,
  );
}
