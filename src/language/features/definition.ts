import type { Location } from 'vscode-languageserver-types';
import { type Position, type Range, START } from '../../core/problem.ts';
import { linkedFile } from '../linkedFile.ts';
import { namesFile } from '../name.ts';
import { contains } from '../place.ts';
import { type FoundName, type NamePorts, nameAt, sameNames } from '../sameName.ts';

/**
 * Where the name at a place is declared; of a path, the file. On a declaration itself: the others
 * that stand for the same, as the keys of `context` do for a prompt's `variables`.
 *
 * @param path of an eval file or of a prompt
 */
export async function definition(
  path: string,
  position: Position,
  ports: NamePorts,
): Promise<Location[]> {
  const found = await nameAt(path, position, ports);
  if (!found) return [];
  if (namesFile(found.name.kind)) {
    const file = await linkedFile(found.place.text, path, ports);
    return file?.exists ? [{ uri: ports.uriOf(file.path), range: START }] : [];
  }
  const elsewhere = (one: FoundName): Location[] =>
    one.name.declarations
      .filter(({ range }) => one.file.path !== path || !contains(range, position))
      .map(({ range }) => locationOf(one, range, ports));
  const own = elsewhere(found);
  if (own.length > 0) return own;
  const others = (await sameNames(found, ports)).flatMap(elsewhere);
  if (others.length > 0) return others;
  return found.name.declarations.map(({ range }) => locationOf(found, range, ports));
}

export function locationOf({ file }: FoundName, range: Range, { uriOf }: NamePorts): Location {
  return { uri: uriOf(file.path), range };
}
